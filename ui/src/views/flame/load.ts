// The flame graph of what is looked at: of a rank and a time if a server can make it, else of what the file holds.

import type { Source } from "../../source";
import type { Range } from "../../state";
import { type FlameData, read } from "./data";
import { Flame } from "./flame";
import { ofRank } from "./ranks";

/** Graphs that are kept, so that going back to one shows it as it was left. */
const MOST = 8;

const held = new WeakMap<Source, Map<string, Promise<Flame | null>>>();
const wholes = new WeakMap<Source, Promise<FlameData | null>>();

function whole(source: Source): Promise<FlameData | null> {
  const found = wholes.get(source) ?? source.part("flame").then((bytes) => (bytes ? read(bytes) : null));
  wholes.set(source, found);
  return found;
}

async function make(source: Source, rank: number | null, range: Range | null): Promise<Flame | null> {
  if (!source.live) {
    const all = await whole(source);
    return all && new Flame(rank === null ? all : ofRank(all, rank));
  }
  const query: Record<string, string> = {};
  if (rank !== null) query.rank = String(rank);
  if (range) [query.start, query.end] = range.map((time) => String(Math.round(time))) as [string, string];
  const bytes = await source.part("flame", query);
  return bytes && new Flame(read(bytes));
}

/** A file has no time of its sums, so a range changes nothing there. */
export function load(source: Source, rank: number | null, range: Range | null): Promise<Flame | null> {
  const key = JSON.stringify([rank, source.live ? range : null]);
  const graphs = held.get(source) ?? new Map<string, Promise<Flame | null>>();
  held.set(source, graphs);
  const found = graphs.get(key) ?? make(source, rank, range);
  graphs.delete(key);
  graphs.set(key, found);
  for (const old of graphs.keys()) if (graphs.size > MOST) graphs.delete(old);
  return found;
}
