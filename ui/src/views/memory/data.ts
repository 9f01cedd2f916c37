// What the section `memory` says of one device: docs/memory.md.

import { type Document, rows, type Row, type Section, section, type Table, type Value } from "../../source/document";

/** A device of a rank. */
export interface Device {
  readonly rank: Value;
  readonly device: Value;
  /** Its row of the table `by_device`. */
  readonly row: Row;
}

export function devices(document: Document): Device[] {
  return rows(document, "memory", "by_device").map((row) => ({ rank: row.rank ?? null, device: row.device ?? null, row }));
}

export function keyOf({ rank, device }: Pick<Device, "rank" | "device">): string {
  return `${rank} ${device}`;
}

/** What a device is called among others: with its rank where there are several. */
export function nameOf({ rank, device }: Device, all: readonly Device[]): string {
  return new Set(all.map((one) => one.rank)).size > 1 ? `rank ${rank}, ${device}` : String(device);
}

/** A table with the rows of one device, and without the columns that say so. */
export function tableOf(found: Section, id: string, { rank, device }: Device): Table | undefined {
  const whole = found.tables.find((table) => table.id === id);
  if (!whole) return undefined;
  const [atRank, atDevice] = ["rank", "device"].map((column) => whole.columns.findIndex((one) => one.id === column));
  const kept = whole.columns.map((_, at) => at).filter((at) => at !== atRank && at !== atDevice);
  const mine = whole.rows.filter((row) => (atRank! < 0 || row[atRank!] === rank) && (atDevice! < 0 || row[atDevice!] === device));
  if (mine.length === 0) return undefined;
  // What a row is of stands first; where the recorder did not know it, a dash would say nothing.
  const named = (values: Value[]) => (values[0] === null ? ["(not known)", ...values.slice(1)] : values);
  const isNamed = whole.columns[kept[0]!]?.unit === null;
  const rowsOfIt = mine.map((row) => kept.map((at) => row[at] ?? null));
  return { ...whole, columns: kept.map((at) => whole.columns[at]!), rows: isNamed ? rowsOfIt.map(named) : rowsOfIt };
}

/** A picture of memory over time. */
export interface Series {
  /** Where the recording begins in the time that all views share; times here are counted from there. */
  readonly start: number;
  readonly time: number[];
  readonly used: number[];
  /** Null where it is not known. */
  readonly reserved: (number | null)[];
  readonly steps: readonly { readonly step: Value; readonly from: number; readonly to: number }[];
  readonly failures: readonly { readonly time: number; readonly asked: number }[];
  readonly peak: { readonly time: number; readonly bytes: number } | null;
  /** What the device has; null if that is not known. */
  readonly limit: number | null;
}

const isNumber = (value: Value | undefined): value is number => typeof value === "number";

export function series(document: Document, of: Device, start = 0): Series {
  const mine = (row: Row) => row.rank === of.rank && row.device === of.device;
  const points = rows(document, "memory", "timeline").filter((row) => mine(row) && isNumber(row.time_ns) && isNumber(row.bytes));
  const steps = rows(document, "steps", "by_step").filter((row) => row.rank === of.rank && isNumber(row.start_ns) && isNumber(row.duration_ns));
  const failures = rows(document, "memory", "out_of_memory").filter((row) => mine(row) && isNumber(row.time_ns));
  const { peak_at_ns: at, peak_bytes: most, capacity_bytes: limit } = of.row;
  return {
    start,
    time: points.map((row) => row.time_ns as number),
    used: points.map((row) => row.bytes as number),
    reserved: points.map((row) => (isNumber(row.reserved_bytes) ? row.reserved_bytes : null)),
    steps: steps.map((row) => ({ step: row.step ?? null, from: row.start_ns as number, to: (row.start_ns as number) + (row.duration_ns as number) })),
    failures: failures.map((row) => ({ time: row.time_ns as number, asked: isNumber(row.asked_bytes) ? row.asked_bytes : 0 })),
    peak: isNumber(at) && isNumber(most) ? { time: at, bytes: most } : null,
    limit: isNumber(limit) ? limit : null,
  };
}

/** The time of a picture: all points, and the requests that failed after the last of them. */
export function span({ time, failures }: Series): [number, number] {
  const times = failures.map((failure) => failure.time);
  const [from, to] = [Math.min(time[0] ?? 0, ...times), Math.max(time.at(-1) ?? 1, ...times)];
  return [from, Math.max(to, from + 1)];
}

/** The place of the last time that is not after one; -1 if there is none. */
export function lastUntil(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The section, or why there is none. */
export function missing(document: Document): string | undefined {
  if (section(document, "memory")) return undefined;
  const skipped = document.skipped.find((one) => one.id === "memory");
  if (skipped) return `No memory recorded: ${skipped.missing}. ${skipped.how_to_record}`;
  return "No memory recorded. Record with `profile_memory=True`, or take a snapshot with `torch.cuda.memory._dump_snapshot` and open it.";
}
