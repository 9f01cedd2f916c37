// Who called whom, and who launched what.

import { Lod } from "../../kit/lod";
import type { Data, Row } from "./data";

/** The class of operators: the first of `Class::ALL`. */
export const OPERATOR = 0;
/** Ranges that a program named (`Class::Range`): they cover waiting, too. */
export const RANGE = 3;
/** Waits, and what the profiler recorded of itself (`Class::Record`). */
export const RECORD = 7;
/** More arrows than that say nothing. */
export const MOST_ARROWS = 200;

/** An arrow from the entry of a call to the entry of what it launched. */
export type Arrow = readonly [call: number, activity: number];

/** A payload with what is looked up in it. */
export class Slices {
  readonly data: Data;
  readonly lod: Lod;
  readonly rowByKey: ReadonlyMap<string, Row>;
  /** What call i launched is children[first[i]..first[i + 1]]; made when it is first asked for. */
  #launched: { first: Uint32Array; children: Uint32Array } | undefined;

  constructor(data: Data) {
    this.data = data;
    this.lod = new Lod(data);
    this.rowByKey = new Map(data.rows.map((row) => [row.key, row]));
  }

  get #launches() {
    if (this.#launched) return this.#launched;
    const { launch, total } = this.data;
    const first = new Uint32Array(total + 1);
    for (let entry = 0; entry < total; entry++) {
      const call = launch[entry]!;
      if (call >= 0 && call < total) first[call + 1]!++;
    }
    for (let entry = 0; entry < total; entry++) first[entry + 1]! += first[entry]!;
    const children = new Uint32Array(first[total]!);
    const next = first.slice();
    for (let entry = 0; entry < total; entry++) {
      const call = launch[entry]!;
      if (call >= 0 && call < total) children[next[call]!++] = entry;
    }
    return (this.#launched = { first, children });
  }

  rowOf(entry: number): Row {
    const { rows } = this.data;
    let low = 0;
    let high = rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (rows[middle]!.from <= entry) low = middle;
      else high = middle - 1;
    }
    return rows[low]!;
  }

  classOf(entry: number): number {
    return this.data.head.class[this.data.name[entry]!] ?? 0;
  }

  nameOf(entry: number): string {
    return this.data.head.names[this.data.name[entry]!] ?? "";
  }

  labelOf(entry: number): string {
    const { head, name, count } = this.data;
    const words = head.short[name[entry]!] || head.names[name[entry]!] || "";
    return count[entry]! > 1 ? `${count[entry]!.toLocaleString("en")} × ${words}` : words;
  }

  /** The innermost entry above it on the same track that contains it and is accepted; -1 if there is none. */
  caller(entry: number, accept: (candidate: number) => boolean = () => true): number {
    const { start, end } = this.data;
    const row = this.rowOf(entry);
    const { rows } = row.track;
    for (let index = rows.indexOf(row) - 1; index >= 0 && rows[index]!.band === row.band; index--) {
      const above = rows[index]!;
      const candidate = this.lod.after(above.from, above.to, start[entry]!);
      if (candidate >= above.to || start[candidate]! > start[entry]! || end[candidate]! < end[entry]!) continue;
      if (accept(candidate)) return candidate;
    }
    return -1;
  }

  operator(entry: number): number {
    return this.caller(entry, (candidate) => this.classOf(candidate) === OPERATOR && this.data.count[candidate] === 1);
  }

  /** From its launch, or to what it launched; if `deep`, to what was launched by all that it called. */
  arrows(entry: number, deep: boolean): Arrow[] {
    if (entry < 0) return [];
    const { launch, start, end } = this.data;
    if (launch[entry]! >= 0) return [[launch[entry]!, entry]];
    const { first, children } = this.#launches;
    const own = Array.from(children.subarray(first[entry]!, Math.min(first[entry + 1]!, first[entry]! + MOST_ARROWS)), (child): Arrow => [entry, child]);
    const row = this.rowOf(entry);
    if (own.length || !deep || row.track.stream) return own;
    const found: Arrow[] = [];
    for (const below of row.track.rows) {
      if (below.band !== row.band || below.depth <= row.depth) continue;
      for (let call = this.lod.after(below.from, below.to, start[entry]!); call < below.to && start[call]! < end[entry]!; call++) {
        for (let at = first[call]!; at < first[call + 1]!; at++) {
          found.push([call, children[at]!]);
          if (found.length >= MOST_ARROWS) return found;
        }
      }
    }
    return found;
  }

  /** The entry of a row that is at a time or within some slack of it: the nearest, of those that hold it the longest; or -1. */
  at(row: Row, time: number, slack: number): number {
    const { start, end } = this.data;
    let best = -1;
    let distance = slack;
    const first = this.lod.after(row.from, row.to, time - slack);
    const last = this.lod.after(first, row.to, time + slack);
    // Many slices may share a pixel: of them the longest is what is seen.
    if (last - first > 64) return this.lod.longest(first, Math.min(row.to, last + 1));
    for (let entry = first; entry < row.to && start[entry]! <= time + slack; entry++) {
      const away = Math.max(start[entry]! - time, time - end[entry]!, 0);
      if (away < distance || (away === distance && best >= 0 && end[entry]! - start[entry]! > end[best]! - start[best]!)) {
        best = entry;
        distance = away;
      }
    }
    return best;
  }

  /** The same slice in this payload; -1 if it is not here by itself. */
  find(key: string, start: number, name: string): number {
    const row = this.rowByKey.get(key);
    if (!row) return -1;
    const entry = this.lod.after(row.from, row.to, start);
    return entry < row.to && this.data.start[entry] === start && this.nameOf(entry) === name ? entry : -1;
  }
}
