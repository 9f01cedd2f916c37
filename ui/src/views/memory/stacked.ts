// The largest allocations as bands on top of each other, and the rest below them: docs/memory.md.

import { type Document, rows, type Row, type Value } from "../../source/document";
import type { Device } from "./data";

/** An allocation from its first state to the one that has it no more. */
export interface Band {
  readonly row: Row;
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
  /** All lines of the program, innermost first. */
  readonly stack: string;
}

export interface Stacked {
  readonly bands: readonly Band[];
  /** Of each state: its time, and what is in use besides the bands, which is nothing where a recording contradicts itself. */
  readonly time: number[];
  readonly rest: number[];
  /** How much of all is shown. */
  readonly shown: Row;
  /** All that is in use. */
  readonly all: number[];
  /** The state with most in use. */
  readonly peak: number;
}

export function stacked(document: Document, { rank, device }: Device): Stacked | null {
  const mine = (id: string) => rows(document, "memory", id).filter((row) => row.rank === rank && row.device === device);
  const [shown] = mine("allocations_shown");
  if (!shown) return null;
  const states = mine("allocations_rest");
  const stacks = new Map(mine("allocation_stacks").map((row) => [row.stack, row.lines as string]));
  const bands = mine("allocations").map((row) => ({
    row,
    bytes: row.bytes as number,
    from: row.from_state as number,
    to: (row.to_state ?? states.length) as number,
    stack: stacks.get(row.stack!) ?? "",
  }));
  const change = new Array<number>(states.length + 1).fill(0);
  for (const { bytes, from, to } of bands) {
    change[from]! += bytes;
    change[to]! -= bytes;
  }
  let sum = 0;
  const left = states.map((row) => row.bytes as number);
  const all = left.map((bytes, state) => bytes + (sum += change[state]!));
  return { bands, time: states.map((row) => row.time_ns as number), rest: left.map((bytes) => Math.max(0, bytes)), all, shown, peak: all.indexOf(Math.max(...all)) };
}

/** What bands can be put together by, from the most to the least telling. */
export const GROUPINGS = { category: "Category", module: "Module", operator: "Operator", place: "Line" } as const;

/** Those that this recording knows. */
export function groupings({ bands }: Stacked): string[] {
  return Object.keys(GROUPINGS).filter((id) => bands.some(({ row }) => row[id] !== null));
}

export interface Group {
  readonly name: string;
  /** A colour of the style sheet. */
  readonly colour: string;
  readonly bands: readonly Laid[];
}

/** A band with its colour, and what lies below it at each of its states. */
export interface Laid extends Band {
  readonly colour: string;
  readonly base: Float64Array;
}

/** Colours that tell groups apart; what comes behind them has the last one. */
const COLOURS = 7;
export const OTHERS = "(others)";

/** Bands by a name, the group with the most bytes times time lowest, and in it what lives longest: so bands move little. */
export function grouped({ bands, time, rest }: Stacked, by: string): Group[] {
  const life = ({ from, to }: Band) => time[Math.min(to, time.length - 1)]! - time[from]!;
  const area = (some: readonly Band[]) => some.reduce((sum, band) => sum + band.bytes * life(band), 0);
  const named = new Map<Value, Band[]>();
  for (const band of bands) {
    const name = band.row[by] ?? "(not known)";
    const same = named.get(name);
    if (same) same.push(band);
    else named.set(name, [band]);
  }
  const order = [...named].map(([name, some]) => ({ name: String(name), some, size: area(some) })).sort((a, b) => b.size - a.size);
  const others = order.splice(COLOURS).flatMap((one) => one.some);
  if (others.length) order.push({ name: OTHERS, some: others, size: 0 });
  const base = Float64Array.from(rest);
  return order.map(({ name, some }, at) => {
    const colour = `c${at + 1}`;
    const lay = (band: Band): Laid => {
      const below = base.slice(band.from, band.to);
      for (let state = band.from; state < band.to; state++) base[state]! += band.bytes;
      return { ...band, colour, base: below };
    };
    return { name, colour, bands: some.toSorted((a, b) => life(b) - life(a) || a.from - b.from).map(lay) };
  });
}

/** Of the states of each pixel the one with most in use, so that no peak is lost, with its place on the screen. */
export function columns({ time, all }: Stacked, toPixel: (time: number) => number, from: number, to: number): { state: number; x: number }[] {
  const found: { state: number; x: number }[] = [];
  for (let state = from; state <= to; state++) {
    const x = Math.floor(toPixel(time[state]!));
    const last = found.at(-1);
    if (last?.x !== x) found.push({ state, x });
    else if (all[state]! > all[last.state]!) last.state = state;
  }
  return found;
}

/** True if a band is in use at a state. */
export function isAt({ from, to }: Band, state: number): boolean {
  return from <= state && state < to;
}

/** The band at a state and a height, if there is one. */
export function hit(bands: readonly Laid[], state: number, bytes: number): Laid | undefined {
  return bands.find((band) => isAt(band, state) && band.base[state - band.from]! <= bytes && bytes < band.base[state - band.from]! + band.bytes);
}

/** True if a name of a band has a text in it. */
export function matches({ row, stack }: Band, text: string): boolean {
  return [...Object.keys(GROUPINGS).map((id) => row[id]), stack].join("\n").toLowerCase().includes(text.toLowerCase());
}
