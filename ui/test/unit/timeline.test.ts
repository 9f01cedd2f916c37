// @vitest-environment node
import { describe, expect, test } from "vitest";
import type { Document } from "../../src/source/document";
import { type Data, decode } from "../../src/views/timeline/data";
import { busyShare, workOfRanks } from "../../src/views/timeline/overview";
import { Slices } from "../../src/views/timeline/relations";
import { find, inOrder, matcher } from "../../src/views/timeline/search";
import { areaOf, areaText, sliceOf, sliceText } from "../../src/views/timeline/track-sets";
import { relations, shownOf } from "../../src/related";
import { withLaunches } from "../../src/views/timeline/light";
import { areaTable, sumArea, union, within } from "../../src/views/timeline/sums";
import { type MadeSlice, payload } from "../payload";
import { dataOf, json, PROGRAM, TRAINING } from "./program";
import { below, random } from "./random";

function made(bytes: Uint8Array): Data {
  return decode(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer);
}

describe.skipIf(!PROGRAM)("what the program writes", () => {
  const unpacked = PROGRAM ? dataOf("timeline", TRAINING) : Buffer.alloc(0);
  const data = () => made(unpacked);

  test("has as many slices and as much work as the section timeline says", () => {
    const document = json<Document>("timeline", TRAINING);
    const slices = new Slices(data());
    const section = document.sections.find((one) => one.id === "timeline")!;
    const value = (id: string, rank: number) => section.numbers.find((one) => one.id === id && one.rank === rank)!.value as number;
    const busy = workOfRanks(slices);
    const [from, to] = slices.data.head.window;
    for (const rank of [0, 1]) {
      const { host, device } = busy.ranks.get(rank)!;
      expect(within(device, from, to)).toBe(value("gpu_active_ns", rank));
      expect(within(host, from, to)).toBe(value("cpu_active_ns", rank));
    }
    const mean = (value("gpu_active_ns", 0) + value("gpu_active_ns", 1)) / 2;
    expect(busyShare(busy, "device", from, to, null)).toBeCloseTo((100 * mean) / (to - from), 9);
    // Single streams and threads, by name.
    for (const id of ["threads", "streams"]) {
      const table = section.tables.find((one) => one.id === id)!;
      for (const [rank, name, , ns] of table.rows) {
        const track = slices.data.ranks.find((one) => one.rank === rank)!.tracks.find((one) => `${one.group} ${one.name}` === name)!;
        const inside = (entry: number) => slices.rowOf(entry).track === track && slices.classOf(entry) !== 3;
        expect(within(union(slices.data, inside), from, to)).toBe(ns);
      }
    }
  });

  test("launches go from calls to what ran after them", () => {
    const slices = new Slices(data());
    const { launch, start, total } = slices.data;
    let arrows = 0;
    const wrong: number[] = [];
    for (let entry = 0; entry < total; entry++) {
      const call = launch[entry]!;
      if (call < 0) continue;
      arrows++;
      const isArrow = slices.arrows(call, false).some(([from, to]) => from === call && to === entry);
      if (start[call]! > start[entry]! || slices.rowOf(call).track.stream || !isArrow) wrong.push(entry);
    }
    expect(wrong).toEqual([]);
    // Every kernel, copy and set of the example has its launch: 495 on each rank.
    expect(arrows).toBe(990);
    const call = launch.find((one) => one >= 0)!;
    const operator = slices.operator(call);
    expect(slices.data.head.classes[slices.classOf(operator)]![0]).toBe("operator");
  });

  test("a slice is found again by its row, start and name", () => {
    const slices = new Slices(data());
    for (let entry = 0; entry < slices.data.total; entry += 97) {
      const found = slices.find(slices.rowOf(entry).key, slices.data.start[entry]!, slices.nameOf(entry));
      expect(slices.data.start[found]).toBe(slices.data.start[entry]);
      expect(slices.nameOf(found)).toBe(slices.nameOf(entry));
    }
    expect(slices.find("nowhere", 0, "")).toBe(-1);
  });
});

describe("payloads that are broken", () => {
  const whole = payload(["a"], [4], [{ group: "GPU 0", name: "stream 1", stream: true, rows: [[{ start: 5, duration: 3, name: 0 }]] }], [0, 10]);

  test("end early", () => {
    expect(made(whole).total).toBe(1);
    for (let length = 0; length < whole.length; length++) expect(() => made(whole.slice(0, length))).toThrow();
  });

  test("numbers above 32 bits and below zero", () => {
    const start = 2 ** 45 + 3;
    const data = made(payload(["a"], [4], [{ group: "g", name: "s", stream: true, rows: [[{ start: -7, duration: 2, name: 0 }, { start, duration: 2 ** 40, name: 0, count: 9, busy: 2 ** 39 }]] }], [0, 1]));
    expect([...data.start]).toEqual([-7, start]);
    expect([...data.end]).toEqual([-5, start + 2 ** 40]);
    expect([...data.count]).toEqual([1, 9]);
    expect([...data.busy]).toEqual([2, 2 ** 39]);
  });
});

/** Rows of random slices, some of which stand for several. */
function someSlices(seed: number): Slices {
  const next = random(seed);
  const row = (): MadeSlice[] => {
    let time = 0;
    return Array.from({ length: 200 }, () => {
      const start = time + below(next, 9);
      const duration = below(next, 30);
      time = start + duration;
      const several = next() < 0.1;
      return { start, duration, name: below(next, 7), ...(several ? { count: 2 + below(next, 5), busy: Math.floor(duration / 2) } : {}) };
    });
  };
  const names = ["gemm", "relu", "softmax", "copy", "GEMM_nt", "add", "sum"];
  const tracks = [0, 1].map((at) => ({ group: "GPU 0", name: `stream ${at}`, stream: true, rows: [row(), row()] }));
  return new Slices(made(payload(names, names.map(() => 4), tracks, [0, 6000])));
}

describe("sums of parts", () => {
  test("an area is the sum of what touches it", () => {
    const slices = someSlices(1);
    const { start, end, busy, count, name, rows, head } = slices.data;
    const [from, to] = [700, 1900];
    const chosen = rows.slice(1, 3);
    const sum = sumArea(slices, chosen.map((row) => ({ row, from, to })));
    const expected = new Map<string, { count: number; sum: number; least: number; most: number }>();
    let grouped = 0;
    for (const row of chosen) {
      for (let entry = row.from; entry < row.to; entry++) {
        const touches = start[entry]! < to && (end[entry]! > from || (start[entry] === end[entry] && start[entry]! >= from));
        if (!touches) continue;
        const key = head.names[name[entry]!]!;
        const of = expected.get(key) ?? { count: 0, sum: 0, least: Infinity, most: -Infinity };
        of.count += count[entry]!;
        of.sum += busy[entry]!;
        if (count[entry]! > 1) grouped += count[entry]!;
        else {
          of.least = Math.min(of.least, end[entry]! - start[entry]!);
          of.most = Math.max(of.most, end[entry]! - start[entry]!);
        }
        expected.set(key, of);
      }
    }
    expect(sum.names.length).toBe(expected.size);
    for (const one of sum.names) expect({ count: one.count, sum: one.sum, least: one.least, most: one.most }).toEqual(expected.get(one.name));
    expect(sum.grouped).toBe(grouped);
    expect(sum.names.map((one) => one.sum)).toEqual(sum.names.map((one) => one.sum).sort((a, b) => b - a));
    const table = areaTable(sum);
    expect(table.rows.every((row) => row.length === table.columns.length)).toBe(true);
    const shares = table.rows.reduce((total, row) => total + (row[4] as number), 0);
    expect(shares).toBeCloseTo(100, 9);
  });

  test("what ran inside of a slice is not its own time, however the rows are nested", () => {
    const next = random(5);
    for (let round = 0; round < 30; round++) {
      // Calls inside of calls: each row lies within slices of some row above it.
      const rows: MadeSlice[][] = [[], [], [], []];
      let time = 0;
      const nest = (depth: number, from: number, to: number): void => {
        rows[depth]!.push({ start: from, duration: to - from, name: depth });
        for (let at = from + below(next, 4); depth < 3 && at + 3 < to; ) {
          const end = Math.min(to, at + 2 + below(next, 12));
          nest(depth + 1, at, end);
          at = end + below(next, 5);
        }
      };
      for (; time < 200; time += 2 + below(next, 6)) {
        const end = time + 5 + below(next, 40);
        nest(0, time, end);
        time = end;
      }
      const slices = new Slices(made(payload(["step", "op", "call", "leaf"], [3, 0, 1, 1], [{ group: "p", name: "t", stream: false, rows }], [0, time])));
      // One of the rows between is not in the area: what is in it belongs to what is around it.
      const chosen = slices.data.rows.filter((row) => row.depth !== 1);
      const sum = sumArea(slices, chosen.map((row) => ({ row, from: 0, to: time })));
      // Each instant belongs to the innermost slice of the area.
      const owner = new Array<number>(time + 50).fill(-1);
      rows.forEach((row, depth) => depth !== 1 && row.forEach((slice) => owner.fill(depth, slice.start, slice.start + slice.duration)));
      for (const one of sum.names) expect(one.self).toBe(owner.filter((of) => of === ["step", "op", "call", "leaf"].indexOf(one.name)).length);
      expect(sum.self).toBe(owner.filter((of) => of >= 0).length);
    }
  });

  test("a named range of a device is no work beside the kernels in it", () => {
    const kernel: MadeSlice[] = [{ start: 2, duration: 6, name: 1 }];
    const rows = [[{ start: 0, duration: 10, name: 0 }], kernel];
    const slices = new Slices(made(payload(["nccl:all_reduce", "ncclDevKernel"], [3, 5], [{ group: "GPU 0", name: "stream 7", stream: true, rows }], [0, 10])));
    const sum = sumArea(slices, slices.data.rows.map((row) => ({ row, from: 0, to: 10 })));
    expect(sum.names.map(({ name, self, sum: total }) => [name, self, total])).toEqual([["ncclDevKernel", 6, 6], ["nccl:all_reduce", 0, 10]]);
    expect(sum.self).toBe(6);
  });

  test("a slice and an area are the same after the address has held them", () => {
    const { rows } = someSlices(4).data;
    const chosen = { key: rows[2]!.key, start: 1234, name: "void f<int>(a, b)\n c" };
    expect(sliceOf(sliceText(chosen, rows), rows)).toEqual(chosen);
    const area = { from: -5, to: 99, keys: new Set([rows[0]!.key, rows[1]!.key, rows[3]!.key]) };
    expect(areaText(area, rows)).toBe("-5 99 0-1,3");
    expect(areaOf(areaText(area, rows), rows)).toEqual(area);
    for (const wrong of ["", "99 1 x", "x", "1 2", "5 4 0 "]) expect([sliceOf(wrong, rows), areaOf(wrong, rows)]).toEqual([null, null]);
  });

  test("an operator is one thing with what it launched, whatever else has the same kernel", () => {
    // Two operators, each with a call that launches the same kernel.
    const host: MadeSlice[][] = [
      [{ start: 0, duration: 10, name: 0 }, { start: 20, duration: 10, name: 1 }],
      [{ start: 2, duration: 2, name: 2 }, { start: 22, duration: 2, name: 2 }],
    ];
    const stream: MadeSlice[] = [{ start: 5, duration: 4, name: 3, launch: 2 }, { start: 25, duration: 4, name: 3, launch: 3 }];
    const bytes = payload(["aten::mm", "aten::addmm", "cudaLaunchKernel", "gemm"], [0, 0, 1, 4], [
      { group: "p", name: "t", stream: false, rows: host },
      { group: "GPU 0", name: "stream 7", stream: true, rows: [stream] },
    ], [0, 30]);
    const slices = new Slices(made(bytes));
    const wanted = (...names: string[]) => Uint8Array.from(slices.data.name, (name) => (names.includes(slices.data.head.names[name]!) ? 1 : 0));
    expect([...withLaunches(slices, wanted("aten::mm"))]).toEqual([1, 0, 0, 0, 1, 0]);
    expect([...withLaunches(slices, wanted("gemm"))]).toEqual([1, 1, 1, 1, 1, 1]);
    const related = relations(slices);
    expect([...related.get("gemm")!].sort()).toEqual(["aten::addmm", "aten::mm"]);
    expect([...related.get("aten::mm")!]).toEqual(["gemm"]);
    expect([...shownOf(new Set(["gemm"]), related.get("gemm")!, (name) => name === "aten::mm")]).toEqual(["aten::mm"]);
    expect([...shownOf(new Set(["gemm"]), related.get("gemm")!, (name) => name === "gemm")]).toEqual(["gemm"]);
  });

  test("a union counts no instant twice", () => {
    const next = random(11);
    for (let round = 0; round < 40; round++) {
      const count = below(next, 40);
      const start = Float64Array.from({ length: count }, () => below(next, 200));
      const end = start.map((value) => value + below(next, 20));
      const busy = new Uint8Array(300);
      for (let entry = 0; entry < count; entry++) if (entry % 3) busy.fill(1, start[entry], end[entry]);
      const found = union({ start, end }, (entry) => entry % 3 !== 0);
      for (const [from, to] of [[0, 300], [17, 90], [50, 51]] as const) {
        expect(within(found, from, to)).toBe(busy.subarray(from, to).reduce((sum, value) => sum + value, 0));
      }
    }
  });

  test("a search counts slices, sums their time and goes through them in order", () => {
    const slices = someSlices(2);
    const matches = matcher(" gemm ")!;
    const found = find(slices, matches);
    const { data } = slices;
    const entries = Array.from({ length: data.total }, (_, entry) => entry).filter((entry) => /gemm/i.test(slices.nameOf(entry)));
    expect(found.entries).toBe(entries.length);
    expect(found.count).toBe(entries.reduce((sum, entry) => sum + data.count[entry]!, 0));
    expect(found.sum).toBe(entries.reduce((sum, entry) => sum + data.busy[entry]!, 0));
    expect(found.atLeast).toBe(true);
    const order = inOrder(slices, matches);
    expect([...order].sort((a, b) => a - b)).toEqual(entries);
    order.forEach((entry, at) => at && expect(data.start[entry]!).toBeGreaterThanOrEqual(data.start[order[at - 1]!]!));
    expect(matcher("  ")).toBeNull();
  });

  test("the nearest slice is the one under the pointer", () => {
    const slices = someSlices(3);
    const { start, end, rows } = slices.data;
    const wrong: number[][] = [];
    for (const row of rows) {
      // Between whole times, where no slice ends as another begins.
      for (let time = 0.25; time < 3000; time += 13) {
        const found = slices.at(row, time, 0.5);
        let holds = -1;
        for (let entry = row.from; entry < row.to; entry++) if (start[entry]! <= time && time < end[entry]!) holds = entry;
        if (holds >= 0 && found !== holds) wrong.push([time, found, holds]);
      }
    }
    expect(wrong).toEqual([]);
  });
});
