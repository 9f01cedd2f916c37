// A colour for every name: that of its class, a little lighter or darker, so that neighbours can be told apart.

import { channels } from "../../kit/canvas";
import type { Head } from "./data";

export interface Colours {
  /** By name, as a texel without its strength: blue, green, red from the top as ImageData has them on every machine of today. */
  readonly texel: Uint32Array;
  /** By class, as CSS has it. */
  readonly css: readonly string[];
}

const SHADES = 5;

/** A number from 0 up to below `SHADES` that a name always has. */
function shadeOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) | 0;
  return Math.abs(hash) % SHADES;
}

export function colours(head: Head, dark: boolean): Colours {
  const css = head.classes.map(([, light, onDark]) => (dark ? onDark : light));
  const of = css.map(channels);
  const texel = Uint32Array.from(head.names, (name, index) => {
    const shade = 1.04 - shadeOf(name) * 0.045;
    const [red, green, blue] = (of[head.class[index] ?? 0] ?? [128, 128, 128]).map((channel) => Math.min(255, Math.round(channel * shade)));
    return ((blue! << 16) | (green! << 8) | red!) >>> 0;
  });
  return { texel, css };
}
