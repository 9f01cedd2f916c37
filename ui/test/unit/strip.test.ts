import { describe, expect, test } from "vitest";
import { colours } from "../../src/views/timeline/colours";
import { decode } from "../../src/views/timeline/data";
import { fuzzy, layOut, layOutPinned, lineAt, ROW } from "../../src/views/timeline/layout";
import { Slices } from "../../src/views/timeline/relations";
import { bright, Strip } from "../../src/views/timeline/strip";
import { type MadeSlice, payload } from "../payload";
import { below, random } from "./random";

function slices(count: number): Slices {
  const next = random(4);
  let time = 0;
  const row = Array.from({ length: count }, (): MadeSlice => {
    const start = time + below(next, 5);
    time = start + below(next, 40);
    return { start, duration: time - start, name: below(next, 5) };
  });
  const names = ["a", "b", "c", "d", "e"];
  const bytes = payload(names, [0, 1, 4, 5, 6], [{ group: "GPU 0", name: "stream 7", stream: true, rows: [row] }, { group: "python", name: "thread 1", stream: false, rows: [row, row] }], [0, time]);
  return new Slices(decode(bytes.buffer as ArrayBuffer));
}

describe("a strip of texels", () => {
  const of = slices(3000);
  const row = of.data.rows[0]!;
  const paints = colours(of.data.head, false);

  test("that was moved is what would be painted anew", () => {
    const next = random(9);
    for (const lit of [null, bright(of, Uint8Array.from(of.data.name, (name) => (name === 1 ? 1 : 0)), 0.3)]) {
      const moving = new Strip();
      let origin = 500;
      moving.row(of, row, origin, 12.5, 600, paints, lit);
      for (let round = 0; round < 60; round++) {
        origin += (below(next, 300) - 150) * 12.5;
        const moved = moving.row(of, row, origin, 12.5, 600, paints, lit);
        const fresh = new Strip().row(of, row, origin, 12.5, 600, paints, lit);
        // Strengths may differ by the rounding of a sum.
        const differs = (texel: number, other: number) => (texel & 0xffffff) !== (other & 0xffffff) || Math.abs((texel >>> 24) - (other >>> 24)) > 1;
        const wrong = Array.from(moved.texels, (_, pixel) => pixel).filter((pixel) => moved.entries[pixel] !== fresh.entries[pixel] || differs(moved.texels[pixel]!, fresh.texels[pixel]!));
        expect(wrong).toEqual([]);
      }
    }
  });

  test("looks up only what comes into sight", () => {
    const strip = new Strip();
    strip.row(of, row, 0, 10, 1000, paints, null);
    expect(strip.looked).toBe(1000);
    strip.row(of, row, 0, 10, 1000, paints, null);
    expect(strip.looked).toBe(1000);
    strip.row(of, row, 70, 10, 1000, paints, null);
    expect(strip.looked).toBeLessThanOrEqual(1000 + 8);
    strip.row(of, row, 70, 11, 1000, paints, null);
    expect(strip.looked).toBeGreaterThanOrEqual(2000);
    strip.reset();
    strip.row(of, row, 70, 11, 1000, paints, null);
    expect(strip.looked).toBeGreaterThanOrEqual(3000);
  });

  test("shows what is bright wherever it is, over what is longer", () => {
    const wanted = Uint8Array.from([0, 0, 1, 0, 0]);
    const { entries } = new Strip().row(of, row, 0, 200, 250, paints, bright(of, Uint8Array.from(of.data.name, (name) => wanted[name]!), 0.3));
    const { start, end, name } = of.data;
    for (let pixel = 0; pixel < 250; pixel++) {
      let isThere = false;
      for (let entry = row.from; entry < row.to; entry++) {
        if (wanted[name[entry]!] && end[entry]! > start[entry]! && start[entry]! < (pixel + 1) * 200 && end[entry]! > pixel * 200) isThere = true;
      }
      if (isThere) expect(wanted[name[entries[pixel]!]!]).toBe(1);
    }
  });
});

describe("lines from top to bottom", () => {
  const { ranks } = slices(10).data;
  const wish = { folded: new Set<string>(), rows: 8, hidden: new Set<string>(), pinned: new Set<string>(), filter: "", rank: null };

  test("every row has a line, folded tracks one", () => {
    const all = layOut(ranks, wish);
    expect([...all.lineOf.keys()].length).toBe(3);
    const thread = ranks[0]!.tracks[1]!;
    expect([...layOut(ranks, { ...wish, folded: new Set([thread.key]) }).lineOf.keys()].length).toBe(2);
    all.lines.forEach((line, at) => at && expect(line.y).toBeGreaterThanOrEqual(all.lines[at - 1]!.y + all.lines[at - 1]!.size));
  });

  test("a folded track with many rows shows as many as there is room for", () => {
    const rows = Array.from({ length: 30 }, (): MadeSlice[] => [{ start: 0, duration: 5, name: 0 }]);
    const bytes = payload(["a"], [0], [{ group: "p", name: "deep", stream: false, rows }], [0, 5]);
    const { ranks: deep } = decode(bytes.buffer as ArrayBuffer);
    const folded = new Set([deep[0]!.tracks[0]!.key]);
    for (const shown of [8, 13]) expect(layOut(deep, { ...wish, folded, rows: shown }).lineOf.size).toBe(shown);
    expect(layOut(deep, { ...wish, folded, rows: 99 }).lineOf.size).toBe(30);
    expect(layOut(deep, wish).lineOf.size).toBe(30);
  });

  test("what a folded thread shows is where its program works, below the frames of what started it", () => {
    const rows = Array.from({ length: 30 }, (_, depth): MadeSlice[] => [{ start: 0, duration: 50, name: depth < 12 ? 0 : 1 }]);
    const bytes = payload(["<module>", "aten::mm"], [2, 0], [{ group: "p", name: "deep", stream: false, rows }], [0, 50]);
    const { ranks: deep } = decode(bytes.buffer as ArrayBuffer);
    const track = deep[0]!.tracks[0]!;
    const shown = [...layOut(deep, { ...wish, folded: new Set([track.key]) }).lineOf.keys()];
    expect(shown).toEqual(track.rows.slice(12, 20).map((row) => row.key));
  });

  test("devices stand above hosts, and what is closed is one row of the device", () => {
    const host = (name: string) => ({ group: "process 1", name, stream: false, rows: [[{ start: 0, duration: 5, name: 0 }]] });
    const stream = (name: string, count: number) => ({ group: "GPU 0", name, stream: true, rows: [Array.from({ length: count }, (_, at) => ({ start: at, duration: 1, name: 0 }))] });
    const bytes = payload(["a"], [4], [host("main"), stream("stream 7", 2), stream("stream 20", 4)], [0, 5]);
    const { ranks: made } = decode(bytes.buffer as ArrayBuffer);
    const heads = (closed: Set<string>) => layOut(made, { ...wish, closed }).lines.map((line) => (line.kind === "heading" ? line.text : line.kind === "row" ? line.label : ""));
    expect(heads(new Set())).toEqual(["GPU 0", "stream 7", "stream 20", "process 1", "main"]);
    expect(heads(new Set(["0/GPU 0"]))).toEqual(["GPU 0", "stream 20", "process 1", "main"]);
    const two = [made[0]!, { ...made[0]!, rank: 1 }];
    expect(layOut(two, { ...wish, closed: new Set(["0"]) }).lines.filter((line) => line.rank === 0 && line.kind === "heading").map((line) => line.kind === "heading" && line.text)).toEqual(["Rank 0"]);
  });

  test("what is pinned, hidden or filtered out is not among those that scroll", () => {
    const [stream, thread] = ranks[0]!.tracks;
    expect(layOut(ranks, { ...wish, hidden: new Set([stream!.key]) }).lineOf.size).toBe(2);
    expect(layOut(ranks, { ...wish, pinned: new Set([thread!.key]) }).lineOf.size).toBe(1);
    expect(layOutPinned(ranks, { pinned: new Set([thread!.key]), folded: new Set(), rows: 8 }).lineOf.size).toBe(2);
    expect(layOut(ranks, { ...wish, filter: "st7" }).lineOf.size).toBe(1);
  });

  test("letters in their order", () => {
    expect(fuzzy("GPU 0 stream 7", "gst7")).toBe(true);
    expect(fuzzy("GPU 0 stream 7", "7g")).toBe(false);
    expect(fuzzy("anything", " ")).toBe(true);
  });

  test("a height finds its line", () => {
    const { lines } = layOut(ranks, wish);
    for (const line of lines) {
      expect(lineAt(lines, line.y)).toBe(line);
      expect(lineAt(lines, line.y + line.size - 1)).toBe(line);
    }
    expect(lineAt(lines, 1e6)).toBeUndefined();
    expect(lineAt([], 0)).toBeUndefined();
    expect(ROW).toBeGreaterThan(10);
  });
});
