// The colours of slices.

import { channels } from "../../kit/canvas";
import { shaded } from "../../kit/shade";
import type { Head } from "./data";

export interface Colours {
  /** By name, as a texel without its strength. */
  readonly texel: Uint32Array;
  /** By class, as CSS has it. */
  readonly css: readonly string[];
}

export function colours(head: Head, dark: boolean): Colours {
  const css = head.classes.map(([, light, onDark]) => (dark ? onDark : light));
  const of = css.map(channels);
  const texel = Uint32Array.from(head.names, (name, index) => shaded(name, of[head.class[index] ?? 0] ?? [128, 128, 128]));
  return { texel, css };
}
