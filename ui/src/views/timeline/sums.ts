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
  /** Without what ran inside of them on the rows of the area. */
  self: number;
  /** Of single slices; null if all of them are in groups. */
  least: number | null;
  most: number | null;
}

export interface AreaSum {
  names: NameSum[];
  count: number;
  /** Of what slices are by themselves: time inside of others counts once. */
  self: number;
  /** Slices that are only there in groups: they count for the name of the longest of their group. */
  grouped: number;
}

/** Rows of one nest, the outermost first: those of a thread lie inside of each other, those of a stream side by side. */
function nests(areas: readonly { row: Row; from: number; to: number }[]): { row: Row; from: number; to: number }[][] {
  const found = new Map<string, { row: Row; from: number; to: number }[]>();
  for (const area of areas) {
    const { track, band } = area.row;
    const key = track.stream ? area.row.key : `${track.key}|${band}`;
    found.set(key, [...(found.get(key) ?? []), area]);
  }
  return [...found.values()].map((nest) => nest.toSorted((a, b) => a.row.depth - b.row.depth));
}

/** Takes from each entry what the entries right inside of it took. */
function takeInner({ start, end, busy }: Data, nest: readonly { row: Row }[], first: readonly number[], last: readonly number[], self: Map<number, number>): void {
  for (let depth = 1; depth < nest.length; depth++) {
    // Each row is in order of time, so that no row is gone through twice.
    const at = first.slice(0, depth);
    for (let entry = first[depth]!; entry < last[depth]!; entry++) {
      for (let above = depth - 1; above >= 0; above--) {
        while (at[above]! < last[above]! && end[at[above]!]! < end[entry]!) at[above]!++;
        const outer = at[above]!;
        if (outer >= last[above]! || start[outer]! > start[entry]!) continue;
        self.set(outer, Math.max(0, (self.get(outer) ?? busy[outer]!) - busy[entry]!));
        break;
      }
    }
  }
}

/** What slices of an area are by themselves. Named ranges and records of a device are no work of it: what they span is. */
function selfTimes(slices: Slices, areas: readonly { row: Row; from: number; to: number }[]): Map<number, number> {
  const { data, lod } = slices;
  const self = new Map<number, number>();
  for (const nest of nests(areas)) {
    const first = nest.map(({ row, from }) => lod.after(row.from, row.to, from));
    const last = nest.map(({ row, to }, at) => {
      let entry = first[at]!;
      while (entry < row.to && data.start[entry]! < to) {
        const kind = slices.classOf(entry);
        if (row.track.stream && (kind === RANGE || kind === RECORD)) self.set(entry, 0);
        entry++;
      }
      return entry;
    });
    takeInner(data, nest, first, last, self);
  }
  return self;
}

/** Slices of some rows that touch a window, by name, the most time of their own first. Each counts with its whole duration. */
export function sumArea(slices: Slices, areas: readonly { row: Row; from: number; to: number }[]): AreaSum {
  const { data, lod } = slices;
  const { start, end, busy, count, name, head } = data;
  const counts = new Float64Array(head.names.length);
  const sums = new Float64Array(head.names.length);
  const selfs = new Float64Array(head.names.length);
  const self = selfTimes(slices, areas);
  const least = new Float64Array(head.names.length).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(head.names.length).fill(-1);
  let grouped = 0;
  for (const { row, from, to } of areas) {
    for (let entry = lod.after(row.from, row.to, from); entry < row.to && start[entry]! < to; entry++) {
      const of = name[entry]!;
      counts[of]! += count[entry]!;
      sums[of]! += busy[entry]!;
      selfs[of]! += self.get(entry) ?? busy[entry]!;
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
    names.push({ name: head.names[of] ?? "", ...run, count: total, sum: sums[of]!, self: selfs[of]!, least: known ? least[of]! : null, most: known ? most[of]! : null });
  });
  names.sort((a, b) => b.self - a.self || b.sum - a.sum);
  const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  return { names, count: total(counts), self: total(selfs), grouped };
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
      { id: "self_ns", title: "Self", unit: "ns" },
      { id: "total_ns", title: "Total", unit: "ns" },
      { id: "share_pct", title: "Share of self", unit: "%" },
      { id: "mean_ns", title: "Average", unit: "ns" },
      { id: "min_ns", title: "Least", unit: "ns" },
      { id: "max_ns", title: "Most", unit: "ns" },
    ],
    rows: area.names.map(({ name, run, count, sum, self, least, most }) => [name, ...(run ? [run] : []), count, self, sum, area.self > 0 ? (100 * self) / area.self : null, sum / count, least, most]),
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
