// What was read of a source, kept: going to another view and back must not read it again.

import { signal } from "@preact/signals";
import type { Source } from ".";

/** Rises when a run has changed. What was read before is of the run as it was. */
export const generation = signal(0);

interface Kept<Item> {
  readonly generation: number;
  readonly items: Map<string, Promise<Item>>;
}

export class Cache<Item> {
  readonly #most: number;
  readonly #kept = new WeakMap<Source, Kept<Item>>();

  /** `most` items of a source are kept, those that were wanted last. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The item of a key, made if there is none of this generation. One that could not be made is made again next time. */
  get(source: Source, key: string, make: () => Promise<Item>): Promise<Item> {
    const items = this.#items(source);
    const found = items.get(key) ?? make();
    items.delete(key);
    items.set(key, found);
    for (const old of items.keys()) if (items.size > this.#most) items.delete(old);
    found.catch(() => {
      if (items.get(key) === found) items.delete(key);
    });
    return found;
  }

  #items(source: Source): Map<string, Promise<Item>> {
    const known = this.#kept.get(source);
    if (known?.generation === generation.peek()) return known.items;
    const items = new Map<string, Promise<Item>>();
    this.#kept.set(source, { generation: generation.peek(), items });
    return items;
  }
}
