// Which rows of a table are shown, in which order, and how wide its columns are.

import { cell } from "../format";
import type { Column, Table, Value } from "../source/document";
import { exactInteger } from "../source/integers";

export type Kind = "name" | "text" | "number" | "share";

/** A column as it is drawn. */
export interface Shape {
  /** Its place in the rows. */
  at: number;
  column: Column;
  kind: Kind;
  /** In letters. */
  width: number;
  /** Some value has a fraction, so that all are shown with decimals. */
  isFloat: boolean;
}

/** Columns whose values are names that other views know. */
const NAMES = ["name", "operator", "annotation", "module", "kernel", "kernels"];

/** The column by which rows are selected. */
export function nameColumn(table: Table): number {
  for (const id of NAMES) {
    const at = table.columns.findIndex((column) => column.id === id);
    if (at >= 0) return at;
  }
  return -1;
}

/** Rows that are looked at for widths: the first, and some of all of them. */
const SAMPLE = 200;

function sample(rows: readonly Value[][]): readonly Value[][] {
  if (rows.length <= SAMPLE) return rows;
  const step = Math.ceil(rows.length / (SAMPLE / 2));
  return [...rows.slice(0, SAMPLE / 2), ...rows.filter((_, at) => at % step === 0)];
}

/** Letters of the longest text of a column. */
function widest(rows: readonly Value[][], shape: Pick<Shape, "at" | "column" | "isFloat">): number {
  return rows.reduce((most, row) => Math.max(most, cell(row[shape.at], shape.column, shape.isFloat).length), 1);
}

/** Letters that a table on a usual screen has room for. */
const WIDE = 140;

/** Columns with paths, whose end says more than their middle. */
export const PATHS = new Set(["input", "path", "file", "place", "python"]);

/** The room of a heading that may take two lines. */
function headingWidth(title: string): number {
  const longest = Math.max(...title.split(/\s+/).map((word) => word.length));
  // Bold letters are wider than digits, of which widths are counted.
  return Math.max(Math.ceil(longest * 1.12), Math.ceil(title.length / 2) + 2);
}

/** The columns in the order in which they are shown: a share stands beside the name, where no scrolling hides it. */
export function shapes(table: Table, only?: readonly string[], wide = WIDE): Shape[] {
  const looked = sample(table.rows);
  const name = nameColumn(table);
  const found = table.columns.map((column, at): Shape => {
    let isNumber = column.unit !== null && column.unit !== undefined;
    let isFloat = false;
    for (const row of table.rows) {
      const value = comparable(row[at]);
      if (!isNumeric(value)) continue;
      isNumber = true;
      if (typeof value === "number" && !Number.isInteger(value)) {
        isFloat = true;
        break;
      }
    }
    const most = widest(looked, { at, column, isFloat });
    const kind: Kind = at === name ? "name" : !isNumber ? "text" : column.unit === "%" && !column.id.startsWith("delta_") ? "share" : "number";
    const room = kind === "name" ? Math.min(Math.max(most, 16), 44) : kind === "text" ? Math.min(Math.max(most, 6), 40) : Math.max(most, 5);
    return { at, column, kind, isFloat, width: Math.max(room, Math.min(headingWidth(column.title ?? column.id), 16)) + 2 };
  });
  // Where there is room, long texts have it.
  const shown = only ? found.filter((shape) => only.includes(shape.column.id)) : found;
  const spare = wide - shown.reduce((sum, shape) => sum + shape.width, 0);
  // Where there is too little, the name gives way before numbers are out of sight.
  const long = shown.find((shape) => shape.kind === "name");
  if (spare < 0 && long) long.width = Math.max(Math.min(long.width, 24), long.width + spare);
  const cut = shown.filter((shape) => (shape.kind === "text" || shape.kind === "name") && widest(looked, shape) + 2 > shape.width);
  for (const shape of cut) shape.width += Math.max(0, Math.min(Math.floor(spare / cut.length), widest(looked, shape) + 2 - shape.width));
  const share = found.findIndex((shape) => shape.column.id === "share_pct");
  if (name >= 0 && share > name) found.splice(name + 1, 0, ...found.splice(share, 1));
  return only ? found.filter((shape) => only.includes(shape.column.id)) : found;
}

/** A value as it is compared: the digits of an integer are a number. */
function comparable(value: Value | undefined): Exclude<Value, null> | bigint | null {
  return typeof value === "string" ? (exactInteger(value) ?? value) : (value ?? null);
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

const SCALES: Readonly<Record<string, number>> = {
  "": 1, ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, k: 1e3, m: 1e6, g: 1e9, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, "%": 1,
};

/** A test of rows. Words must all be in a row; `-word` must not; `column:word` and `total_ns>1ms` ask one column. */
export function matcher(table: Table, filter: string): (row: readonly Value[]) => boolean {
  const tests = filter
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((word): ((row: readonly Value[]) => boolean) => {
      const asked = /^(\w+)([:<>=])(.*)$/.exec(word);
      const at = asked ? table.columns.findIndex((column) => column.id === asked[1]) : -1;
      if (asked && at >= 0) {
        const [, , sign, wanted = ""] = asked;
        const text = wanted.toLowerCase();
        if (sign === ":") return (row) => String(row[at] ?? "").toLowerCase().includes(text);
        const given = /^(-?[\d.]+)([a-zµ%]*)$/.exec(text);
        const limit = given ? Number(given[1]) * (SCALES[given[2] ?? ""] ?? Number.NaN) : Number.NaN;
        return (row) => {
          const value = row[at];
          if (sign === "=") return String(value ?? "").toLowerCase() === text || value === limit;
          const amount = comparable(value);
          return isNumeric(amount) && (sign === "<" ? amount < limit : amount > limit);
        };
      }
      const without = word.length > 1 && word.startsWith("-");
      const text = (without ? word.slice(1) : word).toLowerCase();
      const has = (row: readonly Value[]) => row.some((value) => value !== null && String(value).toLowerCase().includes(text));
      return without ? (row) => !has(row) : has;
    });
  return (row) => tests.every((test) => test(row));
}

export interface Wish {
  /** Id of a column, with `-` before it for the largest first. */
  sort?: string | undefined;
  filter?: string | undefined;
  rank?: number | null | undefined;
}

/** The places of the rows that are wanted, in the order that is. Rows without a value are last both ways. */
export function arrange(table: Table, wish: Wish): number[] {
  const matches = wish.filter ? matcher(table, wish.filter) : () => true;
  const rankAt = typeof wish.rank === "number" ? table.columns.findIndex((column) => column.id === "rank") : -1;
  const found: number[] = [];
  table.rows.forEach((row, at) => {
    if ((rankAt < 0 || row[rankAt] === wish.rank) && matches(row)) found.push(at);
  });
  const down = wish.sort?.startsWith("-") ?? false;
  const by = table.columns.findIndex((column) => column.id === wish.sort?.replace(/^-/, ""));
  if (by < 0) return found;
  const direction = down ? -1 : 1;
  const values = table.rows.map((row) => comparable(row[by]));
  return found.sort((left, right) => {
    const a = values[left] ?? null;
    const b = values[right] ?? null;
    if (a === null || b === null) return a === b ? left - right : a === null ? 1 : -1;
    if (a === b) return left - right;
    if (typeof a === typeof b || (isNumeric(a) && isNumeric(b))) return (a < b ? -1 : 1) * direction;
    return (isNumeric(a) ? -1 : 1) * direction;
  });
}

/** The rows on the screen: first, and one after the last. Some more on each side, so that scrolling shows no gap. */
export function seen(count: number, top: number, height: number, row: number): [number, number] {
  const spare = 8;
  const first = Math.max(0, Math.min(Math.floor(top / row) - spare, count - 1));
  return [first, Math.min(count, Math.ceil((top + height) / row) + spare)];
}
