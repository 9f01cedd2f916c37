// What the pointer does on the canvases of a flame graph.

import { hideTip, showTip } from "../../kit/tooltip";
import { turn } from "../../kit/viewport";
import { select } from "../../state";
import type { Flame } from "./flame";
import { tip } from "./words";

/** Listens on the canvases; returns how to stop. */
export function listen(flame: Flame, canvas: HTMLCanvasElement, mini: HTMLCanvasElement): () => void {
  const ends = new AbortController();
  const { signal } = ends;
  const { viewport } = flame;
  let drag: { x: number; y: number; from: number; to: number; top: number; moved: boolean } | null = null;
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaY) >= Math.abs(event.deltaX)) return;
      event.preventDefault();
      turn(viewport, event, event.offsetX);
    },
    { passive: false, signal },
  );
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { x: event.offsetX, y: event.offsetY, from: viewport.from, to: viewport.to, top: flame.scroll?.scrollTop ?? 0, moved: false };
    canvas.setPointerCapture(event.pointerId);
  }, { signal });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) {
      const place = flame.at(event.offsetX, event.offsetY);
      const before = flame.hover.peek();
      if (place?.frame !== before?.frame || place?.layout !== before?.layout) flame.hover.value = place;
      if (place) showTip(event, tip(flame, place));
      else hideTip();
      return;
    }
    const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
    if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
    drag.moved = true;
    hideTip();
    const by = (dx / viewport.width) * (drag.to - drag.from);
    viewport.set(drag.from - by, drag.to - by);
    if (flame.scroll) flame.scroll.scrollTop = drag.top - dy;
  }, { signal });
  canvas.addEventListener("pointerup", (event) => {
    const wasClick = drag && !drag.moved;
    drag = null;
    const place = wasClick ? flame.at(event.offsetX, event.offsetY) : null;
    if (!place) return;
    hideTip();
    select([flame.nameOf(place)]);
    flame.focus(place);
  }, { signal });
  canvas.addEventListener("pointerleave", () => (hideTip(), void (flame.hover.value = null)), { signal });
  let from: number | null = null;
  const valueOf = (event: PointerEvent) => viewport.whole.from + (event.offsetX / viewport.width) * (viewport.whole.to - viewport.whole.from);
  mini.addEventListener("pointerdown", (event) => {
    from = valueOf(event);
    mini.setPointerCapture(event.pointerId);
  }, { signal });
  mini.addEventListener("pointermove", (event) => {
    if (from !== null && Math.abs(valueOf(event) - from) > (3 * (viewport.whole.to - viewport.whole.from)) / viewport.width) viewport.set(Math.min(from, valueOf(event)), Math.max(from, valueOf(event)));
  }, { signal });
  mini.addEventListener("pointerup", () => (from = null), { signal });
  return () => ends.abort();
}
