import { expect, test } from "vitest";
import type { Document } from "../../src/source/document";
import { commandOf, placeOf, tableOf } from "../../src/views/query/answer";
import { EXAMPLES, examples } from "../../src/views/query/examples";

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
