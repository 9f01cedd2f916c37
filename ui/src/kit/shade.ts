// The colour of a name: that of its class, a little lighter or darker, so that neighbours can be told apart and a name looks the
// same in timeline and flame graph. Classes have their colours from the program (`crates/present/src/colours.rs`).

import { channels } from "./canvas";

/** The colour of names on a light and on a dark page: `INK` of the program. */
export const INK = ["#111111", "#f4f6f8"] as const;

const SHADES = 5;

/** A number from 0 up to below `SHADES` that a name always has. */
function shadeOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) | 0;
  return Math.abs(hash) % SHADES;
}

/** A name's colour as a texel without its strength: blue, green, red from the top as ImageData has them on every machine of today. */
export function shaded(name: string, [red, green, blue]: readonly [number, number, number]): number {
  const shade = 1.04 - shadeOf(name) * 0.045;
  const of = (channel: number) => Math.min(255, Math.round(channel * shade));
  return ((of(blue) << 16) | (of(green) << 8) | of(red)) >>> 0;
}

/** A colour of a style sheet as a texel. */
export function texel(hex: string): number {
  const [red, green, blue] = channels(hex);
  return ((blue << 16) | (green << 8) | red) >>> 0;
}
