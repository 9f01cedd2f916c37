import { describe, expect, test } from "vitest";
import { Lod, type Spans, pixels } from "../../src/kit/lod";
import { below, random } from "./random";

/** Rows of slices with gaps, neighbours that touch, slices without length and some that stand for several. */
function rows(next: () => number, counts: number[], longest: number): { spans: Spans; at: [number, number][] } {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const [start, end, busy] = [new Float64Array(total), new Float64Array(total), new Float64Array(total)];
  const at: [number, number][] = [];
  let slice = 0;
  for (const count of counts) {
    const from = slice;
    let time = below(next, 10) - 5;
    for (let index = 0; index < count; index++, slice++) {
      if (next() < 0.5) time += below(next, longest);
      start[slice] = time;
      time += below(next, 4) ? below(next, longest) : 0;
      end[slice] = time;
      busy[slice] = next() < 0.2 ? Math.floor((end[slice]! - start[slice]!) / 2) : end[slice]! - start[slice]!;
    }
    at.push([from, slice]);
  }
  return { spans: { start, end, busy }, at };
}

/** What a pixel shows, by looking at every slice of the row. */
function brute({ start, end, busy }: Spans, from: number, to: number, left: number, right: number) {
  let slice = -1;
  let cover = 0;
  for (let one = from; one < to; one++) {
    const inside = start[one] === end[one] ? start[one]! >= left && start[one]! < right : end[one]! > left && start[one]! < right;
    if (!inside) continue;
    const length = end[one]! - start[one]!;
    if (slice < 0 || length > end[slice]! - start[slice]!) slice = one;
    if (length > 0) cover += (busy[one]! / length) * (Math.min(end[one]!, right) - Math.max(start[one]!, left));
  }
  return { slice, cover: Math.min(1, cover / (right - left)) };
}

describe("level of detail", () => {
  // Widths of pixels are sums of powers of two, so that their edges are exact and both sides must agree to the slice.
  test.each([0.25, 1, 1.75, 8, 77.5, 1024])("agrees with a look at every slice, %f a pixel", (size) => {
    const next = random(size * 4);
    for (let round = 0; round < 12; round++) {
      const counts = Array.from({ length: 1 + below(next, 4) }, () => below(next, 2) * below(next, 700));
      const { spans, at } = rows(next, counts, 2 + below(next, 40));
      const lod = new Lod(spans);
      for (const [from, to] of at) {
        const origin = below(next, 400) - 60;
        const width = 1 + below(next, 90);
        const drawn = pixels(width);
        lod.draw(from, to, origin, size, 0, width, drawn);
        const wrong: string[] = [];
        for (let pixel = 0; pixel < width; pixel++) {
          const expected = brute(spans, from, to, origin + pixel * size, origin + (pixel + 1) * size);
          const same = drawn.slice[pixel] === expected.slice && Math.abs(drawn.cover[pixel]! - expected.cover) < 1e-5;
          if (!same) wrong.push(`pixel ${pixel} of round ${round}: ${drawn.slice[pixel]} ${drawn.cover[pixel]}, not ${expected.slice} ${expected.cover}`);
        }
        expect(wrong).toEqual([]);
      }
    }
  });

  test("a piece of a row is what all of it shows there", () => {
    const next = random(7);
    const { spans, at } = rows(next, [900], 30);
    const [from, to] = at[0]!;
    const lod = new Lod(spans);
    const [whole, pieces] = [pixels(400), pixels(400)];
    lod.draw(from, to, 3, 12.5, 0, 400, whole);
    for (let first = 0; first < 400; ) {
      const last = Math.min(400, first + 1 + below(next, 60));
      lod.draw(from, to, 3, 12.5, first, last, pieces);
      first = last;
    }
    expect([...pieces.slice]).toEqual([...whole.slice]);
    pieces.cover.forEach((value, pixel) => expect(value).toBeCloseTo(whole.cover[pixel]!, 5));
  });

  test("the longest of any range, the first of equals", () => {
    const next = random(3);
    const { spans } = rows(next, [5000], 6);
    const lod = new Lod(spans);
    for (let round = 0; round < 500; round++) {
      const from = below(next, 5000);
      const to = from + below(next, 5000 - from);
      let best = -1;
      for (let slice = from; slice < to; slice++) {
        const longer = best < 0 || spans.end[slice]! - spans.start[slice]! > spans.end[best]! - spans.start[best]!;
        if (longer) best = slice;
      }
      expect(lod.longest(from, to)).toBe(best);
    }
  });

  test("busy time of a window", () => {
    const next = random(5);
    const { spans, at } = rows(next, [300, 300], 20);
    const lod = new Lod(spans);
    for (const [from, to] of at) {
      for (let round = 0; round < 50; round++) {
        const start = below(next, 3000);
        const end = start + 1 + below(next, 2000);
        const { start: starts, end: ends, busy } = spans;
        let sum = 0;
        for (let slice = from; slice < to; slice++) {
          const length = ends[slice]! - starts[slice]!;
          const inside = Math.min(ends[slice]!, end) - Math.max(starts[slice]!, start);
          if (inside > 0) sum += (busy[slice]! * inside) / length;
        }
        expect(lod.busy(from, to, start, end)).toBeCloseTo(sum, 6);
      }
    }
  });

  test("no slices", () => {
    const lod = new Lod({ start: new Float64Array(0), end: new Float64Array(0), busy: new Float64Array(0) });
    const drawn = pixels(3);
    lod.draw(0, 0, 0, 1, 0, 3, drawn);
    expect([...drawn.slice]).toEqual([-1, -1, -1]);
    expect(lod.longest(0, 0)).toBe(-1);
  });
});
