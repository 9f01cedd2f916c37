import { expect, test } from "vitest";
import { command, csvField, items, quote, toCsv, toJson } from "../../src/kit/export";
import type { Document, Table } from "../../src/source/document";

const TABLE: Table = {
  id: "t",
  columns: [{ id: "name" }, { id: "total_ns", unit: "ns" }],
  rows: [
    ['f<int, "x">', 1.5],
    ["line\nbreak", null],
    ["=1+1", -3],
  ],
};

test("fields are quoted as RFC 4180 has it, and nothing a spreadsheet would run stays at the start", () => {
  expect(csvField('a"b')).toBe('"a""b"');
  expect(csvField("a,b")).toBe('"a,b"');
  expect(csvField(null)).toBe("");
  expect(csvField(-3)).toBe("-3");
  expect(csvField("@cmd")).toBe("'@cmd");
  expect(toCsv(TABLE)).toBe('name,total_ns\r\n"f<int, ""x"">",1.5\r\n"line\nbreak",\r\n\'=1+1,-3\r\n');
});

test("JSON has every value by the id of its column", () => {
  expect(JSON.parse(toJson(TABLE))).toEqual([{ name: 'f<int, "x">', total_ns: 1.5 }, { name: "line\nbreak", total_ns: null }, { name: "=1+1", total_ns: -3 }]);
});

test("a command can be pasted into a shell whatever the files are called", () => {
  expect(quote("a/b-1.json.gz")).toBe("a/b-1.json.gz");
  expect(quote("it's; rm -rf $HOME")).toBe("'it'\\''s; rm -rf $HOME'");
  const document = { schema: "eaves.comm/1", inputs: [{ path: "my run/a.json", format: "kineto" }] } as unknown as Document;
  expect(command(document)).toBe("eaves comm 'my run/a.json'");
  expect(command(document, "report", "--section kernels")).toBe("eaves report 'my run/a.json' --section kernels");
});

test("the menu has what there is", () => {
  const labels = (exports: Parameters<typeof items>[0]) => items(exports).map((item) => item.label);
  expect(labels({ name: "x" })).toEqual([]);
  expect(labels({ name: "x", table: () => TABLE, command: "eaves" })).toEqual(["Copy as CSV", "Save as CSV", "Copy as JSON", "Save as JSON", "Copy command line"]);
  expect(labels({ name: "x", svg: () => null })).toEqual(["Copy as PNG", "Save as PNG", "Save as SVG"]);
  expect(labels({ name: "x", canvas: () => null })).toEqual(["Copy as PNG", "Save as PNG"]);
});
