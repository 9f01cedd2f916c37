// What `eaves ... --json` prints: docs/json.md. The page draws every number from it and computes none that it has.

/** A value of a table or a number; null is "not known". Where every digit counts, an integer may be its digits: `exactInteger`. */
export type Value = string | number | boolean | null;

export interface NumberEntry {
  id: string;
  rank?: number | null;
  value: Value;
  unit?: string | null;
  provenance: "counter" | "formula" | "datasheet" | "measured" | "guess";
  explain?: string;
  reason?: string;
}

export interface Column {
  id: string;
  title?: string;
  unit?: string | null;
}

export interface Table {
  id: string;
  title?: string;
  columns: Column[];
  rows: Value[][];
  /** For columns with cells that are null: why. */
  missing?: Record<string, string>;
}

export interface Finding {
  id: string;
  /** Place among all findings of the document, from 1. */
  place?: number;
  severity: "info" | "warning" | "critical";
  claim: string;
  /** Low and high. */
  gain_ns?: [number, number] | null;
  /** What the gain is a part of. */
  gain_of?: "step" | "selection" | null;
  gain_basis?: string | null;
  overlaps?: string[];
  evidence: string;
  next: string;
}

export interface Section {
  id: string;
  title: string;
  /** The view that shows what it is about. */
  view?: string;
  numbers: NumberEntry[];
  tables: Table[];
  findings: Finding[];
}

export interface Input {
  path: string;
  /** The side, where two runs are compared. */
  role?: "base" | "new";
  format: string;
  container?: string;
  rank?: number | null;
  events?: number;
  bytes?: number;
}

export interface Warning {
  kind: string;
  count: number;
  message: string;
  path?: string | null;
  harmless?: boolean;
}

export interface Skipped {
  id: string;
  missing: string;
  how_to_record: string;
}

/** One answer of eaves. */
export interface Document {
  schema: string;
  tool: { name: string; version: string };
  inputs: Input[];
  warnings: Warning[];
  sections: Section[];
  skipped: Skipped[];
}

/** A row of a table as an object, by the ids of its columns. */
export type Row = Record<string, Value> & { index: number };

export function section(document: Document, id: string): Section | undefined {
  return document.sections.find((one) => one.id === id);
}

export function table(document: Document, sectionId: string, id: string): Table | undefined {
  return section(document, sectionId)?.tables.find((one) => one.id === id);
}

/** The rows of a table as objects; none if there is no such table. */
export function rows(document: Document, sectionId: string, id: string): Row[] {
  const found = table(document, sectionId, id);
  if (!found) return [];
  return found.rows.map((values, index) => {
    const row: Row = { index } as Row;
    found.columns.forEach((column, at) => {
      row[column.id] = values[at] ?? null;
    });
    return row;
  });
}

/** Whose row it is: its rank, and its input where several recordings are of the same rank. */
export function owner(row: Row): string {
  const input = typeof row.input === "string" ? row.input.split(/[\\/]/).findLast(Boolean) : undefined;
  const of = typeof row.rank === "number" ? `rank ${row.rank}` : "";
  return [of, input].filter(Boolean).join(", ") || "all";
}

/** A headline number of a section, of one rank if asked for. */
export function headline(document: Document, sectionId: string, id: string, rank?: number): NumberEntry | undefined {
  return section(document, sectionId)?.numbers.find(
    (number) => number.id === id && (rank === undefined || number.rank === rank),
  );
}
