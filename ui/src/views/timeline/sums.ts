// Numbers about a part of the picture that only the page can know: what is selected, searched for, or in sight.

import type { Table } from "../../source/document";
import type { Data, Row } from "./data";
import type { Slices } from "./relations";
import { RANGE, RECORD } from "./relations";

/** What slices of one name have in an area. */
export interface NameSum {
  name: string;
  /** Of which run, where two are compared. */
  run?: string;
  count: number;
  sum: number;
  /** Of single slices; null if all of them are in groups. */
  least: number | null;
  most: number | null;
}

export interface AreaSum {
  names: NameSum[];
  count: number;
  sum: number;
  /** Slices that are only there in groups: they count for the name of the longest of their group. */
  grouped: number;
}

/** Slices of some rows that touch a window, by name, the longest sum first. Each counts with its whole duration. */
export function sumArea(slices: Slices, areas: readonly { row: Row; from: number; to: number }[]): AreaSum {
  const { data, lod } = slices;
  const { start, end, busy, count, name, head } = data;
  const counts = new Float64Array(head.names.length);
  const sums = new Float64Array(head.names.length);
  const least = new Float64Array(head.names.length).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(head.names.length).fill(-1);
  let grouped = 0;
  for (const { row, from, to } of areas) {
    for (let entry = lod.after(row.from, row.to, from); entry < row.to && start[entry]! < to; entry++) {
      const of = name[entry]!;
      counts[of]! += count[entry]!;
      sums[of]! += busy[entry]!;
      if (count[entry]! > 1) {
        grouped += count[entry]!;
        continue;
      }
      const length = end[entry]! - start[entry]!;
      if (length < least[of]!) least[of] = length;
      if (length > most[of]!) most[of] = length;
    }
  }
  const names: NameSum[] = [];
  counts.forEach((total, of) => {
    if (total === 0) return;
    const known = most[of]! >= 0;
    const run = data.namesOfBase === undefined ? {} : { run: of < data.namesOfBase ? "new" : "base" };
    names.push({ name: head.names[of] ?? "", ...run, count: total, sum: sums[of]!, least: known ? least[of]! : null, most: known ? most[of]! : null });
  });
  names.sort((a, b) => b.sum - a.sum);
  const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  return { names, count: total(counts), sum: total(sums), grouped };
}

/** An area as a table like those of the document. */
export function areaTable(area: AreaSum): Table {
  const isCompared = area.names.some((one) => one.run);
  return {
    id: "area",
    title: "Slices in the area by name",
    columns: [
      { id: "name", title: "Name", unit: null },
      ...(isCompared ? [{ id: "run", title: "Run", unit: null }] : []),
      { id: "count", title: "Count", unit: "count" },
      { id: "total_ns", title: "Sum", unit: "ns" },
      { id: "share_pct", title: "Share", unit: "%" },
      { id: "mean_ns", title: "Average", unit: "ns" },
      { id: "min_ns", title: "Least", unit: "ns" },
      { id: "max_ns", title: "Most", unit: "ns" },
    ],
    rows: area.names.map(({ name, run, count, sum, least, most }) => [name, ...(run ? [run] : []), count, sum, area.sum > 0 ? (100 * sum) / area.sum : null, sum / count, least, most]),
  };
}

/** Time that is in any of some spans. */
export interface Union {
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Time in all spans before each one. */
  readonly before: Float64Array;
}

/** The union of entries. Starts and ends are sorted apart: a span lasts while more have begun than have ended. */
export function union(data: Pick<Data, "start" | "end">, accept: (entry: number) => boolean): Union {
  const total = data.start.length;
  let count = 0;
  for (let entry = 0; entry < total; entry++) if (accept(entry)) count++;
  const starts = new Float64Array(count);
  const ends = new Float64Array(count);
  for (let entry = 0, at = 0; entry < total; entry++) {
    if (!accept(entry)) continue;
    starts[at] = data.start[entry]!;
    ends[at++] = data.end[entry]!;
  }
  starts.sort();
  ends.sort();
  let spans = 0;
  for (let at = 0, ended = 0, first = 0; at < count; ) {
    // All that begins before everything that is open has ended belongs together.
    const open = starts[first]!;
    while (at < count && (at === first || starts[at]! <= ends[ended]!)) {
      at++;
      ended = at - 1;
    }
    starts[spans] = open;
    ends[spans++] = ends[ended]!;
    first = at;
  }
  const before = new Float64Array(spans + 1);
  for (let span = 0; span < spans; span++) before[span + 1] = before[span]! + ends[span]! - starts[span]!;
  return { start: starts.slice(0, spans), end: ends.slice(0, spans), before };
}

/** Time of a window that is in a union. */
export function within({ start, end, before }: Union, from: number, to: number): number {
  const until = (time: number) => {
    let low = 0;
    let high = start.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (end[middle]! > time) high = middle;
      else low = middle + 1;
    }
    return before[low]! + Math.max(0, low < start.length ? time - start[low]! : 0);
  };
  return until(to) - until(from);
}

/** Where hosts and devices worked, as docs/timeline.md defines it: named ranges and records of the profiler are no work. */
export function work(slices: Slices, rank: number | null): { host: Union; device: Union } {
  const { data } = slices;
  const isStream = new Uint8Array(data.total);
  const isWanted = new Uint8Array(data.total);
  for (const row of data.rows) {
    if (row.track.stream) isStream.fill(1, row.from, row.to);
    if (rank === null || row.track.rank === rank) isWanted.fill(1, row.from, row.to);
  }
  const isWork = data.head.classes.map((_, kind) => kind !== RANGE && kind !== RECORD);
  const accept = (stream: number) => (entry: number) =>
    isWanted[entry] === 1 && isStream[entry] === stream && isWork[slices.classOf(entry)] === true;
  return { host: union(data, accept(0)), device: union(data, accept(1)) };
}
