// What was in use at one peak against another: of another device or rank, or of another run.

import { bytes } from "../../format";
import type { Document, Table, Value } from "../../source/document";
import { type Device, devices, keyOf } from "./data";

/** Bytes of all rows of both. */
export interface Sums {
  base: number;
  next: number;
}

/** Bytes by what the first column names. */
function sums(table: Table | undefined): Map<Value, number> {
  const at = table?.columns.findIndex((column) => column.id === "bytes") ?? -1;
  const found = new Map<Value, number>();
  for (const row of table?.rows ?? []) {
    const value = row[at];
    if (typeof value === "number") found.set(row[0] ?? null, (found.get(row[0] ?? null) ?? 0) + value);
  }
  return found;
}

/** Both peaks row by row, the largest change first. What only one of them has counts as nothing in the other. */
export function difference(base: Table | undefined, next: Table | undefined): { table: Table; sums: Sums } | null {
  const like = next ?? base;
  const first = like?.columns[0];
  if (!like || !first) return null;
  const [before, after] = [sums(base), sums(next)];
  const rows = [...new Set([...after.keys(), ...before.keys()])].map((key): Value[] => {
    const [old, now] = [before.get(key) ?? 0, after.get(key) ?? 0];
    const change = now - old;
    return [key, old, now, change, change < 0 ? "less" : change > 0 ? "more" : "unchanged"];
  });
  rows.sort((one, other) => Math.abs(Number(other[3])) - Math.abs(Number(one[3])));
  const total = (values: Map<Value, number>) => [...values.values()].reduce((sum, value) => sum + value, 0);
  const amount = (id: string, title: string) => ({ id, title, unit: "B" });
  return {
    table: {
      id: `${like.id}_difference`,
      title: "In use at both peaks, largest change first",
      columns: [first, amount("base_bytes", "At the other peak"), amount("bytes", "At this peak"), amount("delta_bytes", "Change"), { id: "verdict", title: "Verdict", unit: null }],
      rows,
    },
    sums: { base: total(before), next: total(after) },
  };
}

/** The device of another run that is the same: of the same rank and name, else of the same name, else the first. */
export function sameDevice(document: Document, of: Device): Device | undefined {
  const all = devices(document);
  return all.find((one) => keyOf(one) === keyOf(of)) ?? all.find((one) => one.device === of.device) ?? all[0];
}

/** The change in words. */
export function told({ base, next }: Sums, other: string): string {
  const change = next - base;
  const words = change === 0 ? "as much as" : `${bytes(Math.abs(change))} ${change > 0 ? "more than" : "less than"}`;
  return `${bytes(next)} in these rows, ${words} ${other} (${bytes(base)}).`;
}
