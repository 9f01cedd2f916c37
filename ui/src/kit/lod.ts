// What of millions of slices is to be seen on a row of pixels, in steps that grow with the pixels and hardly with the slices.
//
// After the idea of Perfetto's `slice_mipmap_operator`: a tree over the slices of all rows that knows the longest one of every
// block. The part that was busy needs no tree: sums from the first slice on tell it for any window.

/** Slices row after row; those of a row do not overlap and are in order. */
export interface Spans {
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** How long each was busy: its length, or less if it stands for several. */
  readonly busy: Float64Array;
}

/** What a row of pixels shows. */
export interface Pixels {
  /** The longest slice that touches each pixel, or -1. */
  readonly slice: Int32Array;
  /** The busy part of each pixel, from 0 to 1. */
  readonly cover: Float32Array;
}

export function pixels(width: number): Pixels {
  return { slice: new Int32Array(width).fill(-1), cover: new Float32Array(width) };
}

/** Slices in a block, and blocks in a block: 16 of 4 bytes are a line of cache. */
const SHIFT = 4;
const BLOCK = 1 << SHIFT;
/** Slices of a pixel that are sooner looked at than looked up. */
const FEW = 32;

export class Lod {
  readonly #spans: Spans;
  /** Busy time of all slices before each one. Sums of integers below 2^53 are exact. */
  readonly #before: Float64Array;
  /** How long each is. */
  readonly #length: Float64Array;
  /** The longest slice of each block, of each block of blocks, ... */
  readonly #longest: Uint32Array[] = [];

  constructor(spans: Spans) {
    this.#spans = spans;
    const { start, end, busy } = spans;
    const count = start.length;
    this.#before = new Float64Array(count + 1);
    this.#length = new Float64Array(count);
    let sum = 0;
    for (let slice = 0; slice < count; slice++) {
      this.#before[slice + 1] = sum += busy[slice]!;
      this.#length[slice] = end[slice]! - start[slice]!;
    }
    for (let size = count, level = 0; size > BLOCK; level++) {
      size = (size + BLOCK - 1) >> SHIFT;
      const below = this.#longest[level - 1];
      const here = new Uint32Array(size);
      const members = below ? below.length : count;
      for (let block = 0; block < size; block++) {
        let best = -1;
        let length = -1;
        const last = Math.min(members, (block + 1) << SHIFT);
        for (let member = block << SHIFT; member < last; member++) {
          const slice = below ? below[member]! : member;
          if (this.#length[slice]! > length) {
            length = this.#length[slice]!;
            best = slice;
          }
        }
        here[block] = best;
      }
      this.#longest.push(here);
    }
  }

  get spans(): Spans {
    return this.#spans;
  }

  /** The first slice in [from, to) that ends after a time, or is there without a length; `to` if there is none. */
  after(from: number, to: number, time: number): number {
    const { start, end } = this.#spans;
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (end[middle]! > time || start[middle]! >= time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The same, looked for near `from`: as many steps as the way there has binary digits. */
  #gallop(from: number, to: number, time: number): number {
    const { start, end } = this.#spans;
    let step = 1;
    let low = from;
    while (low < to && end[low]! <= time && start[low]! < time) {
      low += step;
      step <<= 1;
    }
    return step === 1 ? low : this.after(low - (step >> 1) + 1, Math.min(low, to), time);
  }

  /** The longest of the slices in [from, to), the first of them if several are; -1 of none. */
  longest(from: number, to: number): number {
    const lengths = this.#length;
    let best = -1;
    let length = -1;
    let low = from;
    let high = to;
    for (let level = 0; low < high; level++) {
      const here = level === 0 ? null : this.#longest[level - 1]!;
      const isLast = level >= this.#longest.length || high - low <= BLOCK;
      // Up to the first whole block, and from the end of the last one; all if there is none above.
      const front = isLast ? high : Math.min(high, (low + BLOCK - 1) & -BLOCK);
      const back = isLast ? high : Math.max(front, high & -BLOCK);
      for (let at = low; at < high; at++) {
        if (at === front) at = back;
        if (at >= high) break;
        const slice = here ? here[at]! : at;
        const itsLength = lengths[slice]!;
        if (itsLength > length || (itsLength === length && slice < best)) {
          length = itsLength;
          best = slice;
        }
      }
      if (isLast) break;
      low = front >> SHIFT;
      high = back >> SHIFT;
    }
    return best;
  }

  /** Busy time of the slices in [from, to) up to a time, of which `at` is the first that ends after it. */
  #busyUntil(at: number, to: number, time: number): number {
    const { start, end, busy } = this.#spans;
    const begun = at < to && start[at]! < time ? (busy[at]! * (time - start[at]!)) / (end[at]! - start[at]!) : 0;
    return this.#before[at]! + begun;
  }

  /** Busy time of the slices in [from, to) within a window. */
  busy(from: number, to: number, start: number, end: number): number {
    const [first, last] = [this.after(from, to, start), this.after(from, to, end)];
    return this.#busyUntil(last, to, end) - this.#busyUntil(first, to, start);
  }

  /**
   * What the slices in [from, to) show on the pixels `first` to `last` of a row, of which pixel 0 begins at `origin` and each is
   * `size` wide.
   */
  draw(from: number, to: number, origin: number, size: number, first: number, last: number, into: Pixels): void {
    const { start, end, busy } = this.#spans;
    const { slice: slices, cover } = into;
    const lengths = this.#length;
    let at = this.after(from, to, origin + first * size);
    let done = this.#busyUntil(at, to, origin + first * size);
    let pixel = first;
    while (pixel < last) {
      if (at >= to) {
        slices.fill(-1, pixel, last);
        cover.fill(0, pixel, last);
        return;
      }
      const left = origin + pixel * size;
      const right = origin + (pixel + 1) * size;
      const begin = start[at]!;
      if (begin >= right) {
        // A gap: nothing up to the pixel in which the next one begins.
        const until = Math.max(pixel + 1, Math.min(last, Math.floor((begin - origin) / size)));
        slices.fill(-1, pixel, until);
        cover.fill(0, pixel, until);
        pixel = until;
        done = this.#before[at]!;
        continue;
      }
      const finish = end[at]!;
      if (begin <= left && finish > right) {
        // All of these pixels are in one slice.
        const until = Math.max(pixel + 1, Math.min(last, Math.floor((finish - origin) / size)));
        slices.fill(at, pixel, until);
        cover.fill(busy[at]! / (finish - begin), pixel, until);
        pixel = until;
        // It may end at the very edge.
        at = this.#gallop(at, to, origin + pixel * size);
        done = this.#busyUntil(at, to, origin + pixel * size);
        continue;
      }
      // A few are looked at one by one on the way; for many the index knows the way and the longest.
      const few = Math.min(to, at + FEW);
      let next = at;
      let best = at;
      let most = -1;
      while (next < few && end[next]! <= right && start[next]! < right) {
        if (lengths[next]! > most) {
          most = lengths[next]!;
          best = next;
        }
        next++;
      }
      const isMany = next === few && few < to;
      if (isMany) next = this.#gallop(few, to, right);
      const until = this.#busyUntil(next, to, right);
      // The one that goes on into the next pixel is in this one, too.
      const inside = next < to && start[next]! < right ? next + 1 : next;
      if (isMany) best = this.longest(at, inside);
      else if (inside > next && lengths[next]! > most) best = next;
      slices[pixel] = best;
      cover[pixel] = Math.min(1, (until - done) / size);
      at = next;
      done = until;
      pixel++;
    }
  }
}
