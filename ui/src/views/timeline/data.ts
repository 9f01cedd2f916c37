// The slices of a page: columns, row after row. `crates/present/src/timeline/payload.rs` writes what is read here.

/** A name of a class of slices, its colour on light and on dark. */
export type ClassHead = readonly [label: string, light: string, dark: string];

export interface CounterHead {
  name: string;
  /** True if its values are bytes. */
  bytes: boolean;
  points: readonly (readonly [time: number, value: number])[];
}

interface TrackHead {
  group: string;
  name: string;
  stream: boolean;
  rows: readonly (readonly [band: number, depth: number, entries: number])[];
}

interface RankHead {
  rank: number;
  path: string;
  /** Where the recording begins: times of the document are counted from there. */
  start?: number;
  facts: readonly (readonly [string, string])[];
  steps: readonly (readonly [number: number, from: number, to: number])[];
  tracks: readonly TrackHead[];
  counters: readonly CounterHead[];
}

export interface Head {
  title: string;
  window: readonly [number, number];
  /** What of it the entries are of; all without. */
  range?: readonly [number, number];
  /** What is shorter may be in groups; 0 if nothing is. */
  width?: number;
  notes: readonly string[];
  classes: readonly ClassHead[];
  names: readonly string[];
  /** Shorter forms of the names; empty where a name is short. */
  short: readonly string[];
  /** The class of each name. */
  class: readonly number[];
  details: readonly string[];
  ranks: readonly RankHead[];
  columns: readonly number[];
}

/** A line of slices that do not overlap. */
export interface Row {
  readonly index: number;
  /** The same in every payload of a recording. */
  readonly key: string;
  readonly track: Track;
  readonly band: number;
  readonly depth: number;
  /** Its entries are [from, to). */
  readonly from: number;
  readonly to: number;
  /** How many of them are no frames of Python: what a program's own work is found by among those of its harness. */
  work: number;
}

/** A thread of the host or a stream of a device. */
export interface Track {
  readonly key: string;
  readonly rank: number;
  readonly group: string;
  readonly name: string;
  readonly stream: boolean;
  readonly rows: Row[];
}

export interface Rank {
  readonly rank: number;
  readonly path: string;
  readonly start: number;
  readonly facts: readonly (readonly [string, string])[];
  readonly steps: readonly (readonly [number: number, from: number, to: number])[];
  readonly tracks: readonly Track[];
  readonly counters: readonly CounterHead[];
}

/** What a payload holds. An entry is a slice, or several short ones that follow each other. */
export interface Data {
  readonly head: Head;
  readonly ranks: readonly Rank[];
  readonly rows: readonly Row[];
  readonly total: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly name: Uint32Array;
  /** 0, or one more than the place of its text. */
  readonly detail: Uint32Array;
  /** How many slices an entry stands for, and for how long they ran. */
  readonly count: Uint32Array;
  readonly busy: Float64Array;
  /** The entry that launched it, or -1. */
  readonly launch: Int32Array;
  /** Where names of the run that is compared with begin, if there is one. */
  readonly namesOfBase?: number;
}

const COLUMNS = 6;
/** The class of frames of Python (`Class::Python`). */
const PYTHON = 2;

/** Whole numbers, seven bits a byte, the lowest first. */
class Numbers {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = Math.min(to, bytes.length);
  }

  next(): number {
    const bytes = this.#bytes;
    if (this.#at >= this.#end) throw new Error("the timeline data is truncated");
    let byte = bytes[this.#at++]!;
    if (byte < 128) return byte;
    // Products instead of shifts: times have more than 32 bits.
    let value = byte & 127;
    let scale = 128;
    do {
      if (this.#at >= this.#end) throw new Error("the timeline data is truncated");
      byte = bytes[this.#at++]!;
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  }
}

function signed(value: number): number {
  return value % 2 ? -(value + 1) / 2 : value / 2;
}

/** The rows of all ranks in the order of their entries. */
function layRows(head: Head): { ranks: Rank[]; rows: Row[]; total: number } {
  const rows: Row[] = [];
  let total = 0;
  const ranks = head.ranks.map((rank) => {
    // Threads of one name are told apart by their order.
    const seen = new Map<string, number>();
    const tracks = rank.tracks.map((found) => {
      const words = `${rank.rank}/${found.group}/${found.name}`;
      const same = seen.get(words) ?? 0;
      seen.set(words, same + 1);
      const key = same ? `${words}/${same}` : words;
      const track: Track = { key, rank: rank.rank, group: found.group, name: found.name, stream: found.stream, rows: [] };
      for (const [band, depth, entries] of found.rows) {
        const row = { index: rows.length, key: `${key}|${band}.${depth}`, track, band, depth, from: total, to: total + entries, work: 0 };
        total += entries;
        track.rows.push(row);
        rows.push(row);
      }
      return track;
    });
    return { ...rank, start: rank.start ?? 0, tracks };
  });
  return { ranks, rows, total };
}

/** Reads a payload that is not compressed any more. */
export function decode(buffer: ArrayBuffer): Data {
  const bytes = new Uint8Array(buffer);
  if (bytes.length < 4) throw new Error("the timeline data is empty");
  const length = new DataView(buffer).getUint32(0, true);
  if (length + 4 > bytes.length) throw new Error("the timeline data is truncated");
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as Head;
  if (head.columns.length !== COLUMNS) throw new Error("the timeline data was written by another eaves version");
  let offset = 4 + length;
  const columns = head.columns.map((size) => {
    const column = new Numbers(bytes, offset, offset + size);
    offset += size;
    return column;
  });
  const [starts, durations, names, details, counts, launches] = columns as [Numbers, Numbers, Numbers, Numbers, Numbers, Numbers];
  const { ranks, rows, total } = layRows(head);
  const data: Data = {
    head,
    ranks,
    rows,
    total,
    start: new Float64Array(total),
    end: new Float64Array(total),
    name: new Uint32Array(total),
    detail: new Uint32Array(total),
    count: new Uint32Array(total),
    busy: new Float64Array(total),
    launch: new Int32Array(total).fill(-1),
  };
  const { start, end, name, detail, count, busy, launch } = data;
  for (const row of rows) {
    let time = 0;
    for (let entry = row.from; entry < row.to; entry++) {
      const begin = time + signed(starts.next());
      const lasts = durations.next();
      start[entry] = begin;
      end[entry] = time = begin + lasts;
      name[entry] = names.next();
      if (head.class[name[entry]!] !== PYTHON) row.work++;
      detail[entry] = details.next();
      const several = counts.next();
      count[entry] = several + 1;
      busy[entry] = several ? counts.next() : lasts;
    }
  }
  for (const rank of ranks) {
    let from = 0;
    for (const track of rank.tracks) {
      if (!track.stream) continue;
      for (const row of track.rows) {
        for (let entry = row.from; entry < row.to; entry++) {
          const value = launches.next();
          if (value) launch[entry] = from += signed(value - 1);
        }
      }
    }
  }
  return data;
}
