// A search that counts and steps through what it finds.

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Source } from "../../source";
import { ofBase } from "./join";
import type { Slices } from "./relations";

export interface Found {
  /** Slices. */
  readonly count: number;
  /** Their summed duration. */
  readonly sum: number;
  /** True if short slices are in groups, of which only the longest is known by name. */
  readonly atLeast: boolean;
  /** How many entries, which may stand for several slices. */
  readonly entries: number;
}

/** A slice that a server found. */
export interface Sought {
  readonly rank: number;
  readonly group: string;
  readonly track: string;
  readonly name: string;
  readonly start: number;
  readonly duration: number;
}

/** What a server found among all slices, also those that are in groups here. */
export interface Answer {
  readonly count: number;
  readonly duration: number;
  /** The first of them in order of time. */
  readonly first: readonly Sought[];
}

/** How many slices a server tells one by one. */
const TOLD = 2000;

/** Tells names that have a text in them, whatever their case. */
export function matcher(query: string): ((name: string) => boolean) | null {
  const wanted = query.trim().toLowerCase();
  return wanted ? (name) => name.toLowerCase().includes(wanted) : null;
}

/** Which names match, by their numbers. */
function table(slices: Slices, matches: (name: string) => boolean): Uint8Array {
  return Uint8Array.from(slices.data.head.names, (text) => (matches(text) ? 1 : 0));
}

/** How much has a name that matches. */
export function find(slices: Slices, matches: (name: string) => boolean): Found {
  const { name, busy, count, total } = slices.data;
  const wanted = table(slices, matches);
  let [entries, slicesFound, sum, atLeast] = [0, 0, 0, false];
  for (let entry = 0; entry < total; entry++) {
    if (count[entry]! > 1) atLeast = true;
    if (!wanted[name[entry]!]) continue;
    entries++;
    slicesFound += count[entry]!;
    sum += busy[entry]!;
  }
  return { count: slicesFound, sum, atLeast, entries };
}

/** All entries whose names match, in order of time. */
export function inOrder(slices: Slices, matches: (name: string) => boolean): Uint32Array {
  const { name, start, total } = slices.data;
  const wanted = table(slices, matches);
  const found: number[] = [];
  for (let entry = 0; entry < total; entry++) if (wanted[name[entry]!]) found.push(entry);
  return Uint32Array.from(found).sort((a, b) => start[a]! - start[b]! || a - b);
}

export class Search {
  readonly query = signal("");
  readonly matches: ReadonlySignal<((name: string) => boolean) | null>;
  readonly found: ReadonlySignal<Found | null>;
  /** Which of them was shown last; -1 before the first. */
  readonly at = signal(-1);
  /** What a server says, if not all slices are here one by one. */
  readonly all = signal<Answer | null>(null);
  readonly #source: Source;
  readonly #slices: () => Slices;
  /** The run that is compared with. */
  readonly #base: string | undefined;
  /** True if short slices are in groups, so that a search here cannot find all. */
  readonly isPartial: () => boolean;
  /** Sorted when the first is asked for: a letter typed must not wait for it. */
  #order: { slices: Slices; query: string; entries: Uint32Array } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(source: Source, slices: () => Slices, isPartial: () => boolean, base?: string) {
    this.#source = source;
    this.#slices = slices;
    this.isPartial = isPartial;
    this.#base = base;
    this.matches = computed(() => matcher(this.query.value));
    this.found = computed(() => (this.matches.value ? find(slices(), this.matches.value) : null));
  }

  ask(query: string): void {
    this.query.value = query;
    this.at.value = -1;
    this.all.value = null;
    clearTimeout(this.#timer);
    if (this.#source.live && query.trim() && this.isPartial()) this.#timer = setTimeout(() => void this.#count(query.trim()), 250);
  }

  async #count(query: string): Promise<void> {
    const run = new URLSearchParams(location.search).get("run") ?? "latest";
    const ask = (of: string) => this.#source.ask<Answer>(`runs/${encodeURIComponent(of)}/slices?limit=${TOLD}&contains=${encodeURIComponent(query)}`);
    try {
      const [own, base] = await Promise.all([ask(run), this.#base === undefined ? null : ask(this.#base)]);
      const first = base?.first.map((slice) => ({ ...slice, rank: ofBase(slice.rank) })) ?? [];
      const both = { count: own.count + (base?.count ?? 0), duration: own.duration + (base?.duration ?? 0), first: [...own.first, ...first] };
      if (this.query.peek().trim() === query) this.all.value = both;
    } catch {
      // What is held has been counted already.
    }
  }

  /** The place of the next one, or the one before, of so many. */
  #next(by: number, count: number): number {
    const from = this.at.peek();
    return (this.at.value = from < 0 ? (by > 0 ? 0 : count - 1) : (from + by + count) % count);
  }

  /** The next one, or the one before: an entry, or a slice of the server that may be in a group; -1 if nothing is found. */
  step(by: number): number | Sought {
    const told = this.all.peek()?.first;
    if (told?.length) return told[this.#next(by, told.length)]!;
    const matches = this.matches.peek();
    const slices = this.#slices();
    const query = this.query.peek();
    if (!matches) return -1;
    if (this.#order?.slices !== slices || this.#order.query !== query) this.#order = { slices, query, entries: inOrder(slices, matches) };
    const { entries } = this.#order;
    if (entries.length === 0) return -1;
    return entries[this.#next(by, entries.length)]!;
  }
}
