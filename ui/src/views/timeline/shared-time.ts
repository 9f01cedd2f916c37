// The window of a timeline and the time that all views share: each follows the other.

import { effect } from "@preact/signals";
import type { Viewport } from "../../kit/viewport";
import { range } from "../../state";

/** How long a window must stand still until other views follow. */
const FOLLOW_MS = 150;

const differs = ([a, b]: readonly [number, number], from: number, to: number) => Math.abs(a - from) > 1 || Math.abs(b - to) > 1;

/** Keeps both together; returns how to stop. */
export function shareTime(viewport: Viewport): () => void {
  // True while the shared time is that of this window.
  let told = false;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const tell = (): void => {
    const { from, to } = viewport.span.peek();
    if (viewport.isWhole) {
      if (told) range.value = null;
      told = false;
      return;
    }
    const before = range.peek();
    if (before && !differs(before, from, to)) return;
    told = true;
    range.value = [Math.round(from), Math.round(to)];
  };
  const onView = effect(() => {
    void viewport.span.value;
    clearTimeout(waiting);
    waiting = setTimeout(tell, FOLLOW_MS);
  });
  const onRange = effect(() => {
    const wanted = range.value;
    const { from, to } = viewport.span.peek();
    if (!wanted) {
      if (!viewport.isWhole && told) viewport.fit();
      told = false;
    } else if (differs(wanted, from, to)) viewport.set(...wanted);
  });
  return () => {
    clearTimeout(waiting);
    onView();
    onRange();
  };
}
