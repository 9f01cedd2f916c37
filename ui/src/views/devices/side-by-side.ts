// Device comparison: a row for each device, a column for each peak, memory and link that any of them has.

import { type Column, type Document, rows, type Table, type Value } from "../../source/document";

/** What is compared: table, column that names it, column of the amount, its unit, and what it is called. */
const MEASURES = [
  ["peaks", "peak", "rate_gflops", "GFLOP/s", ""],
  ["memory", "id", "bandwidth_gbps", "GB/s", " bandwidth"],
  ["memory", "id", "size_bytes", "B", " size"],
  ["links", "kind", "total_gbps", "GB/s", " link"],
] as const;

export function beside(devices: readonly { id: string; document: Document }[]): Table {
  const columns: Column[] = [{ id: "name", title: "Device", unit: null }];
  const found: Value[][] = [];
  for (const device of devices) {
    const values: Value[] = [device.id];
    for (const [table, name, amount, unit, what] of MEASURES) {
      for (const row of rows(device.document, "devices", table)) {
        if (typeof row[amount] !== "number") continue;
        const isSparse = table === "peaks" && row.kind !== "dense" && typeof row.kind === "string";
        const title = `${String(row[name]).replaceAll("_", " ")}${what}${isSparse ? ` ${String(row.kind)}` : ""}`;
        const id = `${title.replaceAll(/\W+/g, "_")}_${amount}`;
        let at = columns.findIndex((column) => column.id === id);
        if (at < 0) at = columns.push({ id, title, unit }) - 1;
        values[at] = row[amount];
      }
    }
    found.push(values);
  }
  // What a device lacks is null, not a hole.
  return { id: "beside", title: "Device comparison", columns, rows: found.map((values) => columns.map((_, at) => values[at] ?? null)) };
}
