// The roofs of a document with units: the table counts bytes in some rows and operations in others, in one column.

import type { Table, Value } from "../../source/document";

/** What a rate counts, and the column that it gets. Rates are in thousands of millions a second. */
const KINDS = [
  { id: "bandwidth_gbps", title: "Bandwidth", unit: "GB/s", of: ["byte"] },
  { id: "rate_gflops", title: "Operations", unit: "GFLOP/s", of: ["flop", "op"] },
] as const;

export function withUnits(table: Table): Table {
  const [rate, counts] = ["rate", "counts"].map((id) => table.columns.findIndex((column) => column.id === id)) as [number, number];
  if (rate < 0 || counts < 0 || table.rows.some((row) => !KINDS.some((kind) => (kind.of as readonly Value[]).includes(row[counts] ?? null)))) return table;
  const keep = table.columns.map((_, at) => at).filter((at) => at !== rate && at !== counts);
  const before = keep.filter((at) => at < rate);
  const after = keep.filter((at) => at > rate);
  const arranged = <Item>(items: readonly Item[], middle: readonly Item[]) => [...before.map((at) => items[at] as Item), ...middle, ...after.map((at) => items[at] as Item)];
  return {
    ...table,
    columns: arranged(table.columns, KINDS.map(({ id, title, unit }) => ({ id, title, unit }))),
    rows: table.rows.map((row) => arranged(row, KINDS.map((kind) => ((kind.of as readonly Value[]).includes(row[counts] ?? null) ? (row[rate] ?? null) : null)))),
  };
}
