// A search that counts and steps through what it finds.

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Source } from "../../source";
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
  /** What a server counted over all slices, also those in groups. */
  readonly all = signal<number | null>(null);
  readonly #source: Source;
  readonly #slices: () => Slices;
  /** Sorted when the first is asked for: a letter typed must not wait for it. */
  #order: { slices: Slices; query: string; entries: Uint32Array } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(source: Source, slices: () => Slices) {
    this.#source = source;
    this.#slices = slices;
    this.matches = computed(() => matcher(this.query.value));
    this.found = computed(() => (this.matches.value ? find(slices(), this.matches.value) : null));
  }

  ask(query: string): void {
    this.query.value = query;
    this.at.value = -1;
    this.all.value = null;
    clearTimeout(this.#timer);
    if (this.#source.live && query.trim()) this.#timer = setTimeout(() => void this.#count(query.trim()), 250);
  }

  async #count(query: string): Promise<void> {
    const run = new URLSearchParams(location.search).get("run") ?? "latest";
    try {
      const answer = await this.#source.ask<{ count?: number }>(`runs/${encodeURIComponent(run)}/slices?name=${encodeURIComponent(query)}`);
      if (this.query.peek().trim() === query && typeof answer.count === "number") this.all.value = answer.count;
    } catch {
      // What is held has been counted already.
    }
  }

  /** The next one, or the one before; -1 if nothing is found. */
  step(by: number): number {
    const matches = this.matches.peek();
    const slices = this.#slices();
    const query = this.query.peek();
    if (!matches) return -1;
    if (this.#order?.slices !== slices || this.#order.query !== query) this.#order = { slices, query, entries: inOrder(slices, matches) };
    const { entries } = this.#order;
    if (entries.length === 0) return -1;
    const from = this.at.peek();
    const next = from < 0 ? (by > 0 ? 0 : entries.length - 1) : (from + by + entries.length) % entries.length;
    this.at.value = next;
    return entries[next]!;
  }
}
