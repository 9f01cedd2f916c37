// Rows of slices as texels: one for each pixel of each row, made by the level-of-detail index, kept while the picture moves.

import { Lod, pixels, type Pixels } from "../../kit/lod";
import type { Colours } from "./colours";
import type { Row } from "./data";
import type { Slices } from "./relations";

/** Entries that stay bright while the others fade. */
export interface Bright {
  readonly lod: Lod;
  /** The entry of each of them. */
  readonly entry: Uint32Array;
  /** Where those of each row begin, and the end of the last. */
  readonly from: Uint32Array;
  /** How strong the others are, from 0 to 1. */
  readonly rest: number;
}

/** The entries that are wanted, as rows of their own. */
export function bright(slices: Slices, wanted: Uint8Array, rest: number): Bright {
  const { data } = slices;
  const { rows, total } = data;
  const from = new Uint32Array(rows.length + 1);
  let count = 0;
  for (let entry = 0; entry < total; entry++) if (wanted[entry]) count++;
  const entries = new Uint32Array(count);
  let at = 0;
  rows.forEach((row, index) => {
    from[index] = at;
    for (let entry = row.from; entry < row.to; entry++) if (wanted[entry]) entries[at++] = entry;
  });
  from[rows.length] = at;
  const column = (values: Float64Array) => Float64Array.from(entries, (entry) => values[entry]!);
  return { lod: new Lod({ start: column(data.start), end: column(data.end), busy: column(data.busy) }), entry: entries, from, rest };
}

/** What a row looks like. */
interface Painted {
  texels: Uint32Array<ArrayBuffer>;
  /** The entry of each pixel, or -1. */
  entries: Int32Array;
  origin: number;
  size: number;
  generation: number;
}

/** Even what is very short is seen. */
const FAINTEST = 0.35;
/** Neighbours wider than this have a hair between them. */
const WITH_HAIR = 4;
/** Offsets of less than this share of a pixel are an error of rounding. */
const SAME_PLACE = 1e-3;

export class Strip {
  readonly #painted = new Map<string, Painted>();
  #scratch: Pixels = pixels(0);
  #generation = 0;
  /** Pixels that were looked up since the start, for tests and measurements. */
  looked = 0;

  /** Forgets what is painted: colours, data or what is bright has changed. */
  reset(): void {
    this.#generation++;
    this.#painted.clear();
  }

  /** A row on `width` pixels of `size` each, the first at `origin`. */
  row(slices: Slices, row: Row, origin: number, size: number, width: number, colours: Colours, lit: Bright | null): Painted {
    let painted = this.#painted.get(row.key);
    if (!painted || painted.texels.length !== width) {
      painted = { texels: new Uint32Array(width), entries: new Int32Array(width).fill(-1), origin, size, generation: -1 };
      this.#painted.set(row.key, painted);
    }
    if (this.#scratch.slice.length !== width) this.#scratch = pixels(width);
    const shift = (origin - painted.origin) / size;
    const whole = Math.round(shift);
    const moved = painted.generation === this.#generation && painted.size === size && Math.abs(whole) < width && Math.abs(shift - whole) < SAME_PLACE;
    if (!moved) {
      painted.origin = origin;
      painted.size = size;
      painted.generation = this.#generation;
      this.#paint(slices, row, painted, 0, width, colours, lit);
    } else if (whole !== 0) {
      // The picture moves; only what comes into sight is looked up. The last pixel is painted again for its hair.
      painted.origin += whole * size;
      for (const buffer of [painted.texels, painted.entries]) {
        if (whole > 0) buffer.copyWithin(0, whole);
        else buffer.copyWithin(-whole, 0);
      }
      if (whole > 0) this.#paint(slices, row, painted, Math.max(0, width - whole - 1), width, colours, lit);
      else this.#paint(slices, row, painted, 0, -whole, colours, lit);
    }
    return painted;
  }

  #paint(slices: Slices, row: Row, painted: Painted, first: number, last: number, { texel }: Colours, lit: Bright | null): void {
    const { texels, entries, origin, size } = painted;
    const { slice, cover } = this.#scratch;
    const { name, start, end } = slices.data;
    this.looked += last - first;
    slices.lod.draw(row.from, row.to, origin, size, first, last, this.#scratch);
    const strength = 255 * (lit ? lit.rest : 1);
    const hair = WITH_HAIR * size;
    for (let pixel = first; pixel < last; pixel++) {
      const entry = slice[pixel]!;
      entries[pixel] = entry;
      if (entry < 0) {
        texels[pixel] = 0;
        continue;
      }
      let alpha = strength * (FAINTEST + (1 - FAINTEST) * cover[pixel]!);
      const isLast = pixel + 1 < last ? slice[pixel + 1] !== entry : end[entry]! <= origin + (pixel + 1) * size;
      if (isLast && end[entry]! - start[entry]! > hair) alpha *= 0.45;
      texels[pixel] = texel[name[entry]!]! | (Math.min(255, alpha) << 24);
    }
    if (lit) this.#light(row, painted, first, last, name, texel, lit);
  }

  /** Paints what is bright over the rest. */
  #light(row: Row, painted: Painted, first: number, last: number, name: Uint32Array, texel: Uint32Array, lit: Bright): void {
    const { texels, entries, origin, size } = painted;
    const { slice, cover } = this.#scratch;
    const [from, to] = [lit.from[row.index]!, lit.from[row.index + 1]!];
    if (from === to) return;
    lit.lod.draw(from, to, origin, size, first, last, this.#scratch);
    for (let pixel = first; pixel < last; pixel++) {
      if (slice[pixel]! < 0) continue;
      const entry = lit.entry[slice[pixel]!]!;
      entries[pixel] = entry;
      texels[pixel] = texel[name[entry]!]! | (Math.min(255, 255 * (0.6 + 0.4 * cover[pixel]!)) << 24);
    }
  }
}
