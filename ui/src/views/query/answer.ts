// What the server answers to a question in SQL, and the table that the page makes of it.

import { quote } from "../../kit/export";
import type { Column, Document, Table, Value } from "../../source/document";

/** Rows that are asked for: more than anybody reads, and quickly there. */
export const MOST_ROWS = 1000;

export interface Answer {
  columns: { name: string; type: string }[];
  rows: Value[][];
  /** True if there were more rows. */
  truncated: boolean;
}

export interface KnownTable {
  name: string;
  about: string;
  columns: { name: string; type: string; about: string }[];
}

/** What can be asked about. */
export interface Known {
  tables: KnownTable[];
  functions?: { name: string; call: string; about: string }[];
}

/** The units that names of columns end with, as those of all tables of eaves do. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_ns$/, "ns"],
  [/_bytes$|^bytes$/, "B"],
  [/_pct$/, "%"],
  [/_gbps$/, "GB/s"],
  [/^flops?$|_flops?$/, "FLOP"],
];

function unitOf(name: string, type: string): string | null {
  return type === "int" || type === "float" ? (UNITS.find(([ending]) => ending.test(name))?.[1] ?? null) : null;
}

/** An answer as a table of the page. Columns of one name, which SQL allows, are told apart. */
export function tableOf({ columns, rows }: Answer): Table {
  const used = new Map<string, number>();
  const named = columns.map(({ name, type }): Column => {
    const before = used.get(name) ?? 0;
    used.set(name, before + 1);
    return { id: before ? `${name} (${before + 1})` : name, title: name, unit: unitOf(name, type) };
  });
  return { id: "query", title: "Answer", columns: named, rows };
}

/** The command that asks the same, of all rows. */
export function commandOf(document: Document, sql: string): string {
  return ["eaves query", quote(sql), ...document.inputs.map((input) => quote(input.path))].join(" ");
}

export interface Place {
  /** Letters before it. */
  at: number;
  line: number;
  column: number;
  /** The line of the question. */
  text: string;
}

/** The place that words of the server name: `... (line 2, column 8)`. */
export function placeOf(message: string, sql: string): Place | null {
  const found = /line (\d+), column (\d+)/i.exec(message);
  if (!found) return null;
  const [line, column] = [Number(found[1]), Number(found[2])];
  const lines = sql.split("\n");
  const text = lines[line - 1];
  if (text === undefined || column < 1 || column > text.length + 1) return null;
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return { at: before + column - 1, line, column, text };
}
