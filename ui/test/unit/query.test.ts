import { afterEach, expect, test, vi } from "vitest";
import { cell } from "../../src/format";
import { toCsv } from "../../src/kit/export";
import { arrange, matcher, shapes } from "../../src/kit/rows";
import type { Document } from "../../src/source/document";
import { httpSource } from "../../src/source/http";
import { exactInteger, keepDigits } from "../../src/source/integers";
import { commandOf, placeOf, tableOf } from "../../src/views/query/answer";
import { EXAMPLES, examples } from "../../src/views/query/examples";
import { ask, asked } from "../../src/views/query/state";

afterEach(() => void vi.unstubAllGlobals());

test("columns have the unit that their name ends with, and names of their own", () => {
  const columns = [["total_ns", "int"], ["bytes", "int"], ["busy_pct", "float"], ["name", "text"], ["name", "text"], ["note_ns", "text"]] as const;
  const table = tableOf({ columns: columns.map(([name, type]) => ({ name, type })), rows: [], truncated: false });
  expect(table.columns.map((column) => [column.id, column.title, column.unit])).toEqual([
    ["total_ns", "total_ns", "ns"],
    ["bytes", "bytes", "B"],
    ["busy_pct", "busy_pct", "%"],
    ["name", "name", null],
    ["name (2)", "name", null],
    ["note_ns", "note_ns", null],
  ]);
});

test("the place of a mistake is found in the question", () => {
  const sql = "SELECT a\nFROM b\nWHERE";
  expect(placeOf("no table `b` (line 2, column 6)", sql)).toEqual({ at: 14, line: 2, column: 6, text: "FROM b" });
  expect(sql[14]).toBe("b");
  // The end of a line is a place, too.
  expect(placeOf("unexpected end (line 3, column 6)", sql)).toMatchObject({ at: sql.length });
  for (const words of ["no place", "line 9, column 1", "line 1, column 99", "line 0, column 0"]) expect(placeOf(words, sql)).toBeNull();
});

test("the command asks the same of the same inputs", () => {
  const document = { inputs: [{ path: "my run/a.json", format: "kineto" }] } as Document;
  expect(commandOf(document, "SELECT 'it''s'")).toBe(`eaves query 'SELECT '\\''it'\\'''\\''s'\\''' 'my run/a.json'`);
});

test("only what the server has is offered", () => {
  const steps = { name: "steps", about: "", columns: ["rank", "step", "duration_ns"].map((name) => ({ name, type: "int", about: "" })) };
  expect(examples({ tables: [steps] }).map((one) => one.title)).toEqual(["Steps of all ranks", "Rows of steps"]);
  expect(examples({ tables: [] })).toEqual([]);
  // No example reads a table that it does not name.
  for (const one of EXAMPLES) expect(new Set(one.needs.split(" ").map((column) => column.split(".")[0]))).toEqual(new Set([/FROM (\w+)/.exec(one.sql)?.[1]]));
});

test("streams of one number are those of one device", () => {
  const { sql } = EXAMPLES.find((one) => one.title.includes("streams"))!;
  for (const clause of ["SELECT", "GROUP BY", "ORDER BY"]) expect(sql).toContain(`${clause} rank, device, stream`);
});

test("an integer that a number would round keeps its digits", () => {
  const revived = (source: string) => keepDigits("0", JSON.parse(source), { source });
  for (const digits of ["1700000000123456789", "-9223372036854775808", "9007199254740993"]) {
    expect(revived(digits)).toBe(digits);
    expect(exactInteger(digits)).toBe(BigInt(digits));
  }
  // What is exact, has a fraction, or is a text is as it was.
  for (const source of ["9007199254740991", "0", "1e300", "0.5", "12345678901234567000.0", '"1700000000123456789"', "null", "true"]) expect(revived(source)).toBe(JSON.parse(source));
  for (const text of ["12", "1e300", "1700000000123456789 ns", "0000000000000001"]) expect(exactInteger(text)).toBeUndefined();
  // Older browsers do not tell the digits.
  expect(keepDigits("0", 2 ** 60)).toBe(2 ** 60);
});

test("the digits are in the table and its CSV, and are compared as numbers", () => {
  const rows = [["1700000000123456789"], [5], ["-9223372036854775808"], ["9007199254740993"], [null]];
  const table = tableOf({ columns: [{ name: "base_time_ns", type: "int" }], rows, truncated: false });
  expect(shapes(table)[0]).toMatchObject({ kind: "number", isFloat: false });
  expect(rows.map(([value]) => cell(value, table.columns[0]!))).toEqual(["1700000000123456789", "5 ns", "-9223372036854775808", "9007199254740993", "-"]);
  expect(toCsv(table)).toBe("base_time_ns\r\n1700000000123456789\r\n5\r\n-9223372036854775808\r\n9007199254740993\r\n\r\n");
  expect(arrange(table, { sort: "base_time_ns" })).toEqual([2, 1, 3, 0, 4]);
  expect(arrange(table, { sort: "-base_time_ns" })).toEqual([0, 3, 1, 2, 4]);
  expect(rows.filter(matcher(table, "base_time_ns>1s"))).toEqual([rows[0], rows[3]]);
  // A column of nothing but digits is one of numbers without a unit, too.
  expect(shapes(tableOf({ columns: [{ name: "hash", type: "int" }], rows: [rows[0]!], truncated: false }))[0]?.kind).toBe("number");
});

test("an answer of the server is read with its digits, other answers are not", async () => {
  const parse = vi.spyOn(JSON, "parse");
  const text = '{"columns":[{"name":"a","type":"int"}],"rows":[[3]],"truncated":false}';
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(text)));
  await ask(httpSource(), "SELECT 3 AS a");
  expect(asked.value?.table?.rows).toEqual([[3]]);
  expect(parse).toHaveBeenLastCalledWith(text, keepDigits);
  expect(await httpSource().ask("devices")).toMatchObject({ truncated: false });
  expect(parse).toHaveBeenLastCalledWith(text, undefined);
  parse.mockRestore();
});
