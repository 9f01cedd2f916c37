// The largest allocations as bands on top of each other, and the rest above them: docs/memory.md.

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
  /** Of each state: its time, and what is in use besides the bands. */
  readonly time: number[];
  readonly rest: number[];
  /** How much of all is shown. */
  readonly shown: Row;
  /** The state with most in use. */
  readonly peak: number;
}

export function stacked(document: Document, { rank, device }: Device): Stacked | null {
  const mine = (id: string) => rows(document, "memory", id).filter((row) => row.rank === rank && row.device === device);
  const [shown] = mine("allocations_shown");
  if (!shown) return null;
  const states = mine("allocations_rest");
  const stacks = new Map(mine("allocation_stacks").map((row) => [row.stack, String(row.lines)]));
  const bands = mine("allocations").map((row) => ({
    row,
    bytes: Number(row.bytes),
    from: Number(row.from_state),
    to: Number(row.to_state ?? states.length),
    stack: stacks.get(row.stack!) ?? "",
  }));
  const rest = states.map((row) => Number(row.bytes));
  const all = sums(bands, states.length).map((sum, state) => sum + rest[state]!);
  return { bands, time: states.map((row) => Number(row.time_ns)), rest, shown, peak: all.indexOf(Math.max(...all)) };
}

/** Bytes of bands at each state. */
export function sums(bands: Iterable<Band>, states: number): number[] {
  const change = new Array<number>(states + 1).fill(0);
  for (const { bytes, from, to } of bands) {
    change[from]! += bytes;
    change[to]! -= bytes;
  }
  let sum = 0;
  return change.slice(0, states).map((by) => (sum += by));
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

/** A band with what lies below it at each of its states. */
export interface Laid extends Band {
  readonly base: Float64Array;
}

/** Colours that tell groups apart; what comes behind them has the last one. */
const COLOURS = 7;
export const OTHERS = "(others)";

/** Bands by a name, the group with the most bytes times time at the bottom, and in it what lives longest: so bands move little. */
export function grouped({ bands, time }: Stacked, by: string): Group[] {
  const life = ({ from, to }: Band) => (time[Math.min(to, time.length - 1)] ?? 0) - (time[from] ?? 0);
  const area = (some: readonly Band[]) => some.reduce((sum, band) => sum + band.bytes * life(band), 0);
  const named = new Map<Value, Band[]>();
  for (const band of bands) {
    const name = band.row[by] ?? "(not known)";
    named.set(name, [...(named.get(name) ?? []), band]);
  }
  const order = [...named].map(([name, some]) => ({ name: String(name), some, size: area(some) })).sort((a, b) => b.size - a.size);
  const few = order.length > COLOURS + 1 ? [...order.slice(0, COLOURS), { name: OTHERS, some: order.slice(COLOURS).flatMap((one) => one.some) }] : order;
  const base = new Float64Array(time.length);
  return few.map(({ name, some }, at) => ({
    name,
    colour: `c${at + 1}`,
    bands: some
      .toSorted((a, b) => life(b) - life(a) || a.from - b.from)
      .map((band) => {
        const below = base.slice(band.from, band.to);
        for (let state = band.from; state < band.to; state++) base[state]! += band.bytes;
        return { ...band, base: below };
      }),
  }));
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
  const wanted = text.toLowerCase();
  return [...Object.keys(GROUPINGS).map((id) => row[id]), stack].some((name) => name && String(name).toLowerCase().includes(wanted));
}
