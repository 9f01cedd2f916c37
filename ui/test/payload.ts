// Writes payloads of timelines as `crates/present/src/timeline/payload.rs` does, for slices that no recording has.

/** Whole numbers, seven bits a byte, the lowest first. */
class Column {
  bytes = new Uint8Array(1 << 16);
  length = 0;

  push(value: number): void {
    if (this.length + 9 > this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    let rest = value;
    while (rest >= 128) {
      this.bytes[this.length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.length++] = rest;
  }

  pushSigned(value: number): void {
    this.push(value < 0 ? -2 * value - 1 : 2 * value);
  }
}

export interface MadeSlice {
  start: number;
  duration: number;
  name: number;
  /** For several slices in one. */
  count?: number;
  busy?: number;
  /** The number of the entry that launched it. */
  launch?: number;
}

export interface MadeTrack {
  group: string;
  name: string;
  stream: boolean;
  /** Rows of slices in order. */
  rows: Iterable<MadeSlice>[];
}

export function payload(names: string[], classes: number[], tracks: MadeTrack[], window: [number, number], steps: [number, number, number][] = []): Uint8Array {
  const columns = Array.from({ length: 6 }, () => new Column());
  const [starts, durations, ofNames, details, counts, launches] = columns as [Column, Column, Column, Column, Column, Column];
  let launch = 0;
  const heads = tracks.map((track) => ({
    group: track.group,
    name: track.name,
    stream: track.stream,
    rows: track.rows.map((row, depth) => {
      let end = 0;
      let entries = 0;
      for (const slice of row) {
        starts.pushSigned(slice.start - end);
        durations.push(slice.duration);
        end = slice.start + slice.duration;
        ofNames.push(slice.name);
        details.push(0);
        counts.push((slice.count ?? 1) - 1);
        if ((slice.count ?? 1) > 1) counts.push(slice.busy ?? 0);
        if (track.stream) {
          if (slice.launch === undefined) launches.push(0);
          else {
            const by = slice.launch - launch;
            launches.push(1 + (by < 0 ? -2 * by - 1 : 2 * by));
            launch = slice.launch;
          }
        }
        entries++;
      }
      return [1, depth, entries];
    }),
  }));
  const kinds = ["operator", "runtime call", "Python", "named range", "compute", "communication", "memory", "wait or profiler", "other"];
  const fills = ["#7fb8e0", "#f0a073", "#c9c3e6", "#d8dde2", "#63c3a0", "#d99abf", "#f2c14e", "#bfbfbf", "#b5cf8f"];
  const head = {
    title: "made",
    window,
    notes: ["made for a test"],
    classes: kinds.map((kind, at) => [kind, fills[at], fills[at]]),
    names,
    short: names.map(() => ""),
    class: classes,
    details: [],
    ranks: [{ rank: 0, path: "made", facts: [], steps, tracks: heads, counters: [] }],
    columns: columns.map((column) => column.length),
  };
  const words = new TextEncoder().encode(JSON.stringify(head));
  const bytes = new Uint8Array(4 + words.length + columns.reduce((sum, column) => sum + column.length, 0));
  new DataView(bytes.buffer).setUint32(0, words.length, true);
  bytes.set(words, 4);
  let at = 4 + words.length;
  for (const column of columns) {
    bytes.set(column.bytes.subarray(0, column.length), at);
    at += column.length;
  }
  return bytes;
}
