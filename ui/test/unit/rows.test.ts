import { expect, test } from "vitest";
import { derivation } from "../../src/kit/explain";
import { arrange, matcher, nameColumn, seen, shapes } from "../../src/kit/rows";
import type { Table, Value } from "../../src/source/document";

const TABLE: Table = {
  id: "by_name",
  columns: [
    { id: "rank", title: "Rank", unit: null },
    { id: "name", title: "Name", unit: null },
    { id: "total_ns", title: "Total", unit: "ns" },
    { id: "factor", title: "Factor", unit: null },
    { id: "share_pct", title: "Share", unit: "%" },
  ],
  rows: [
    [0, "b gemm", 2_000_000, 1, 20],
    [1, "a gemm", null, 2, null],
    [0, "c copy", 500, 1.5, 1],
    [1, "d gemm", 2_000_000, 1, 20],
  ],
};

test("rows are sorted both ways, and those without a value are last both ways", () => {
  expect(arrange(TABLE, { sort: "total_ns" })).toEqual([2, 0, 3, 1]);
  expect(arrange(TABLE, { sort: "-total_ns" })).toEqual([0, 3, 2, 1]);
  expect(arrange(TABLE, { sort: "name" })).toEqual([1, 0, 2, 3]);
  expect(arrange(TABLE, { sort: "-name" })).toEqual([3, 2, 0, 1]);
  expect(arrange(TABLE, { sort: "no such column" })).toEqual([0, 1, 2, 3]);
});

test("sorting agrees with a plain selection of the least, on any values", () => {
  let seed = 7;
  const next = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
  for (let round = 0; round < 50; round++) {
    const rows: Value[][] = Array.from({ length: 40 }, () => [next(5) === 0 ? null : next(12) - 6]);
    const table: Table = { id: "x", columns: [{ id: "x", unit: "count" }], rows };
    const left = rows.map((_, at) => at);
    const expected: number[] = [];
    while (left.length) {
      let best = 0;
      left.forEach((at, place) => {
        const value = rows[at]?.[0] as number | null;
        const least = rows[left[best] as number]?.[0] as number | null;
        if (value !== null && (least === null || value < least)) best = place;
      });
      expected.push(...left.splice(best, 1));
    }
    expect(arrange(table, { sort: "x" })).toEqual(expected);
  }
});

test("filters: words, words that must not be, one column, sizes", () => {
  const found = (filter: string) => TABLE.rows.filter(matcher(TABLE, filter)).map((row) => row[1]);
  expect(found("GEMM")).toEqual(["b gemm", "a gemm", "d gemm"]);
  expect(found("gemm -a")).toEqual(["b gemm", "d gemm"]);
  expect(found("total_ns>1ms")).toEqual(["b gemm", "d gemm"]);
  expect(found("total_ns<1us")).toEqual(["c copy"]);
  expect(found("rank=1 name:d")).toEqual(["d gemm"]);
  expect(found("share_pct>5%")).toEqual(["b gemm", "d gemm"]);
  expect(found("total_ns>much")).toEqual([]);
  expect(found("  ")).toHaveLength(4);
});

test("a rank leaves its own rows, and all where there is no rank", () => {
  expect(arrange(TABLE, { rank: 1 })).toEqual([1, 3]);
  const without: Table = { ...TABLE, columns: [{ id: "step" }, ...TABLE.columns.slice(1)] };
  expect(arrange(without, { rank: 1 })).toHaveLength(4);
});

test("the share stands beside the name; a column with fractions has them in every row", () => {
  const found = shapes(TABLE);
  expect(found.map((shape) => shape.column.id)).toEqual(["rank", "name", "share_pct", "total_ns", "factor"]);
  expect(found.map((shape) => shape.kind)).toEqual(["number", "name", "share", "number", "number"]);
  expect(found.find((shape) => shape.column.id === "factor")?.isFloat).toBe(true);
  expect(found.find((shape) => shape.column.id === "rank")?.isFloat).toBe(false);
  expect(shapes(TABLE, ["name", "factor"]).map((shape) => shape.at)).toEqual([1, 3]);
  expect(nameColumn({ id: "x", columns: [{ id: "cause" }], rows: [] })).toBe(-1);
});

test("the rows on the screen are among those that are drawn, wherever it is scrolled", () => {
  for (const count of [0, 1, 9, 1000]) {
    for (let top = 0; top <= Math.max(0, count * 26 - 260); top += 13) {
      const [from, to] = seen(count, top, 260, 26);
      const first = Math.floor(top / 26);
      const last = Math.min(count - 1, Math.floor((top + 259) / 26));
      expect(from).toBeGreaterThanOrEqual(0);
      expect(to).toBeLessThanOrEqual(count);
      if (count) expect([from <= first, to > last]).toEqual([true, true]);
      expect(to - from).toBeLessThanOrEqual(10 + 2 * 8 + 1);
    }
  }
});

test("a mean and a share say how they come about, and nothing that is not so", () => {
  const columns = [{ id: "name" }, { id: "calls", unit: "count" }, { id: "total_ns", unit: "ns" }, { id: "mean_ns", unit: "ns" }, { id: "share_pct", unit: "%" }];
  const table = { id: "by_name", columns, rows: [["a", 72, 10_912_320, 151_560, 75], ["b", 1, 3_637_440, 3_637_440, 25]] };
  expect(derivation(table, table.rows[0]!, 3)).toBe("total / calls = 10.91 ms / 72 = 151.56 µs");
  expect(derivation(table, table.rows[0]!, 4)).toBe("total / total of all rows = 10.91 ms / 14.55 ms = 75.0%");
  expect(derivation(table, ["a", 72, 10_912_320, 99, 3], 3)).toBeUndefined();
  expect(derivation(table, ["a", 72, 10_912_320, 99, 3], 4)).toBeUndefined();
  expect(derivation(table, table.rows[0]!, 1)).toBeUndefined();
});

test("where there is little room the name gives way, and numbers stay in sight", () => {
  const table = { id: "f", columns: [{ id: "name" }, { id: "self", unit: "ns" }, { id: "total", unit: "ns" }], rows: [["x".repeat(90), 1, 2]] };
  const width = (room: number) => shapes(table, undefined, room).reduce((sum, shape) => sum + shape.width, 0);
  expect(width(48)).toBeLessThanOrEqual(48);
  expect(shapes(table, undefined, 20)[0]!.width).toBe(24);
  expect(shapes(table, undefined, 140)[0]!.width).toBe(92);
});
