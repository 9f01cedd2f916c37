// What stands where from top to bottom: headings, rows of slices, counters.

import type { CounterHead, Rank, Row, Track } from "./data";
import { isBase, ownNumber, rankName } from "./join";

export const ROW = 18;
export const COUNTER = 46;
const GAP = 6;
/** A track with more rows than MANY shows at least FOLDED of them when it is folded; others show one. */
export const MANY = 10;
export const FOLDED = 8;

interface Place {
  /** From the top of the list. */
  readonly y: number;
  readonly size: number;
  readonly rank: number;
}

export interface Heading extends Place {
  readonly kind: "heading";
  /** Under which it is closed. */
  readonly key: string;
  readonly closed: boolean;
  readonly text: string;
  /** True for a rank, false for a process or device. */
  readonly strong: boolean;
  /** What stands beside it. */
  readonly facts: string;
}

export interface RowLine extends Place {
  readonly kind: "row";
  readonly key: string;
  readonly track: Track;
  /** What stands in the margin. */
  readonly label: string;
  readonly first: boolean;
}

export interface CounterLine extends Place {
  readonly kind: "counter";
  readonly counter: CounterHead;
}

export type Line = Heading | RowLine | CounterLine;

export interface Layout {
  readonly lines: readonly Line[];
  readonly lineOf: ReadonlyMap<string, RowLine>;
  readonly height: number;
}

export interface Wish {
  folded: ReadonlySet<string>;
  /** Ranks, and processes or devices of them, of which only the fullest row is shown. */
  closed?: ReadonlySet<string>;
  /** Rows that a folded track with many of them shows. */
  rows: number;
  hidden: ReadonlySet<string>;
  pinned: ReadonlySet<string>;
  /** Letters that the names of tracks have in this order. */
  filter: string;
  /** Only this rank; null for all. */
  rank: number | null;
}

/** True if a text has the letters of a pattern in their order: `str7` finds "stream 7". */
export function fuzzy(text: string, pattern: string): boolean {
  const [within, letters] = [text.toLowerCase(), pattern.toLowerCase().replace(/\s+/g, "")];
  let at = 0;
  for (const letter of letters) {
    at = within.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** What was found out about a rank, in a line. */
export function factsOf(rank: Rank): string {
  // A host that waits for its device is active, too, so that its share is hardly ever less than all.
  return rank.facts.filter(([name]) => name !== "CPU active").map(([name, value]) => `${name} ${value}`).join(" · ");
}

/** A track as the list of tracks names it. */
export function title(track: Track, several: boolean): string {
  return `${several ? `${rankName(track.rank)} ` : ""}${track.group} ${track.name}`;
}

class Builder {
  readonly lines: Line[] = [];
  readonly lineOf = new Map<string, RowLine>();
  y = 0;

  heading(key: string, closed: boolean, text: string, rank: number, strong: boolean, facts = ""): void {
    const size = strong ? 24 : 20;
    this.lines.push({ kind: "heading", key, closed, text, strong, facts, rank, y: this.y, size });
    this.y += size;
  }

  #row(row: Row, label: string, first: boolean): void {
    const { track } = row;
    const line: RowLine = { kind: "row", key: row.key, track, label, first, rank: track.rank, y: this.y, size: ROW };
    this.lines.push(line);
    this.lineOf.set(row.key, line);
    this.y += ROW;
  }

  /** What is closed is told by its fullest row, of devices if it has some. */
  summary(tracks: readonly Track[]): void {
    const streams = tracks.filter((track) => track.stream);
    const rows = (streams.length ? streams : tracks).flatMap((track) => track.rows);
    const fullest = rows.reduce<Row | undefined>((most, row) => (most && most.work >= row.work ? most : row), undefined);
    if (fullest) this.#row(fullest, fullest.track.name, true);
    this.y += GAP;
  }

  track(track: Track, wish: Pick<Wish, "folded" | "rows">, name: string): void {
    const all = track.rows.length;
    const shown = !wish.folded.has(track.key) ? all : Math.min(all, all > MANY ? wish.rows : 1);
    const from = fullestOf(track.rows, shown);
    track.rows.slice(from, from + shown).forEach((row, index) => {
      const hidden = all - shown;
      this.#row(row, index === 0 ? name : index === 1 && hidden ? `+ ${hidden} rows` : "", index === 0);
    });
    this.y += GAP;
  }

  counter(counter: CounterHead, rank: number): void {
    this.lines.push({ kind: "counter", counter, rank, y: this.y, size: COUNTER });
    this.y += COUNTER + GAP;
  }
}

/** Where the most work is among some rows that follow each other: the rows above are those of what started the program. */
function fullestOf(rows: readonly Row[], shown: number): number {
  let [best, most] = [0, -1];
  for (let from = 0; from + shown <= rows.length; from++) {
    const work = rows.slice(from, from + shown).reduce((sum, row) => sum + row.work, 0);
    if (work > most) [best, most] = [from, work];
  }
  return best;
}

/** Devices above hosts, each as they were recorded. */
function devicesFirst(tracks: readonly Track[]): Track[] {
  const devices = new Set(tracks.filter((track) => track.stream).map((track) => track.group));
  return tracks.toSorted((a, b) => Number(devices.has(b.group)) - Number(devices.has(a.group)));
}

/** The tracks that scroll. */
export function layOut(ranks: readonly Rank[], wish: Wish): Layout {
  const builder = new Builder();
  const several = ranks.length > 1;
  const isCompared = ranks.some((one) => isBase(one.rank));
  for (const rank of ranks) {
    if (wish.rank !== null && several && ownNumber(rank.rank) !== wish.rank) continue;
    const isShown = (track: Track) => !wish.hidden.has(track.key) && !wish.pinned.has(track.key) && fuzzy(title(track, several), wish.filter);
    const tracks = devicesFirst(rank.tracks.filter(isShown));
    const ofRank = String(rank.rank);
    const isClosed = several && wish.closed?.has(ofRank) === true;
    const counters = rank.counters.filter((counter) => counter.points.length > 0 && fuzzy(counter.name, wish.filter));
    if (several && tracks.length + counters.length > 0) {
      const run = !isCompared ? "" : isBase(rank.rank) ? "Base: " : "New: ";
      builder.heading(ofRank, isClosed, run ? `${run}rank ${ownNumber(rank.rank)}` : `Rank ${rank.rank}`, rank.rank, true, `${run && `${rank.path.split(/[\\/]/).slice(-2).join("/")} · `}${factsOf(rank)}`);
    }
    if (isClosed) {
      builder.summary(tracks);
      continue;
    }
    for (const group of new Set(tracks.map((track) => track.group))) {
      const [key, own] = [`${ofRank}/${group}`, tracks.filter((track) => track.group === group)];
      const closed = wish.closed?.has(key) === true;
      builder.heading(key, closed, group, rank.rank, false);
      if (closed) builder.summary(own);
      else for (const track of own) builder.track(track, wish, track.name);
    }
    for (const counter of counters) builder.counter(counter, rank.rank);
  }
  return { lines: builder.lines, lineOf: builder.lineOf, height: builder.y + GAP };
}

/** The tracks that stay in sight above them. */
export function layOutPinned(ranks: readonly Rank[], wish: Pick<Wish, "pinned" | "folded" | "rows">): Layout {
  const builder = new Builder();
  for (const rank of ranks) {
    for (const track of rank.tracks) {
      if (wish.pinned.has(track.key)) builder.track(track, wish, `${ranks.length > 1 ? `${rankName(rank.rank)}, ` : ""}${track.name}`);
    }
  }
  return { lines: builder.lines, lineOf: builder.lineOf, height: builder.y };
}

/** The line at a height, of lines in order. */
export function lineAt(lines: readonly Line[], y: number): Line | undefined {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.y + lines[middle]!.size > y) high = middle;
    else low = middle + 1;
  }
  const line = lines[low];
  return line && line.y <= y ? line : undefined;
}
