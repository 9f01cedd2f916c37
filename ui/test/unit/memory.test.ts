import { describe, expect, test } from "vitest";
import type { Document } from "../../src/source/document";
import { byteTicks, ceiling } from "../../src/views/memory/chart";
import { difference, sameDevice, told } from "../../src/views/memory/peaks";
import { type Device, devices, keyOf, lastUntil, missing, series, span, tableOf } from "../../src/views/memory/data";
import { documentWith } from "./documents";

const column = (id: string, unit: string | null = null) => ({ id, title: id, unit });

const document: Document = documentWith([
  {
    id: "memory",
    title: "Memory",
    numbers: [],
    findings: [],
    tables: [
      { id: "by_device", columns: [column("rank"), column("device"), column("peak_bytes", "B"), column("peak_at_ns", "ns"), column("capacity_bytes", "B")], rows: [[0, "cuda:0", 900, 20, 4000], [1, "cuda:0", 700, 5, null]] },
      { id: "timeline", columns: [column("rank"), column("device"), column("time_ns", "ns"), column("bytes", "B"), column("reserved_bytes", "B")], rows: [[0, "cuda:0", 10, 500, 1000], [0, "cuda:0", 20, 900, null], [1, "cuda:0", 5, 700, 800]] },
      { id: "at_peak_by_stack", columns: [column("rank"), column("device"), column("place"), column("bytes", "B")], rows: [[0, "cuda:0", null, 600], [0, "cuda:0", "model.py:3", 300], [1, "cuda:0", "model.py:3", 700]] },
      { id: "out_of_memory", columns: [column("rank"), column("device"), column("time_ns", "ns"), column("asked_bytes", "B")], rows: [[0, "cuda:0", 31, 5000]] },
    ],
  },
  { id: "steps", title: "Steps", numbers: [], findings: [], tables: [{ id: "by_step", columns: [column("rank"), column("step"), column("start_ns", "ns"), column("duration_ns", "ns")], rows: [[0, 3, 8, 10], [1, 3, 4, 9]] }] },
]);

describe("memory of a device", () => {
  const [first, second] = devices(document);

  test("has its own rows only", () => {
    expect(devices(document).map(keyOf)).toEqual(["0 cuda:0", "1 cuda:0"]);
    const found = document.sections[0]!;
    expect(tableOf(found, "at_peak_by_stack", first!)).toMatchObject({ columns: [{ id: "place" }, { id: "bytes" }], rows: [["(not known)", 600], ["model.py:3", 300]] });
    expect(tableOf(found, "at_peak_by_stack", second!)!.rows).toEqual([["model.py:3", 700]]);
    expect(tableOf(found, "out_of_memory", second!)).toBeUndefined();
    expect(tableOf(found, "nowhere", first!)).toBeUndefined();
  });

  test("over time", () => {
    const made = series(document, first!);
    expect(series(document, first!, 70).start).toBe(70);
    expect(made).toEqual({ start: 0, time: [10, 20], used: [500, 900], reserved: [1000, null], steps: [{ step: 3, from: 8, to: 18 }], failures: [{ time: 31, asked: 5000 }], peak: { time: 20, bytes: 900 }, limit: 4000 });
    expect(span(made)).toEqual([10, 31]);
    expect(ceiling(made, false)).toBeCloseTo(1080, 9);
    expect(ceiling(made, true)).toBeCloseTo(4320, 9);
    expect(series(document, second!).limit).toBeNull();
  });

  test("a value holds until the next", () => {
    expect([9, 10, 19, 20, 99, Number.NaN].map((time) => lastUntil([10, 20], time))).toEqual([-1, 0, 0, 1, 1, -1]);
  });

  test("says how to record it where there is none", () => {
    expect(missing(document)).toBeUndefined();
    const without = { ...document, sections: [], skipped: [{ id: "memory", missing: "no events", how_to_record: "do this" }] };
    expect(missing(without)).toContain("do this");
    expect(missing({ ...without, skipped: [] })).toContain("profile_memory=True");
  });

  test("sizes on the axis are round in powers of two", () => {
    expect(byteTicks(2.2 * 2 ** 30, 6)).toEqual([0, 0.5, 1, 1.5, 2].map((value) => value * 2 ** 30));
    expect(byteTicks(100, 6)[1]).toBe(20);
  });
});

test("two peaks are compared row by row, and nothing of either is left out", () => {
  const [one, two] = devices(document) as [Device, Device];
  const found = document.sections[0]!;
  const compared = difference(tableOf(found, "at_peak_by_stack", two), tableOf(found, "at_peak_by_stack", one))!;
  expect(compared.table.rows).toEqual([
    ["(not known)", 0, 600, 600, "more"],
    ["model.py:3", 700, 300, -400, "less"],
  ]);
  expect(compared.table.columns.map((column) => column.id)).toEqual(["place", "base_bytes", "bytes", "delta_bytes", "verdict"]);
  // The changes add up to the difference of the peaks.
  expect(compared.sums).toEqual({ base: 700, next: 900 });
  expect(told(compared.sums, "rank 1")).toBe("900 B in these rows, 200 B more than rank 1 (700 B).");
  expect(difference(undefined, undefined)).toBeNull();
  expect(difference(tableOf(found, "at_peak_by_stack", one), undefined)!.table.rows.map((row) => row[4])).toEqual(["less", "less"]);
});

test("the device of another run is that of the same name", () => {
  const [one] = devices(document) as [Device];
  expect(keyOf(sameDevice(document, { ...one, rank: 7 })!)).toBe("0 cuda:0");
  expect(keyOf(sameDevice(document, { ...one, rank: 1 })!)).toBe("1 cuda:0");
  expect(sameDevice({ ...document, sections: [] }, one)).toBeUndefined();
});
