// The flame graph of what is looked at: of a rank and a time, or against another run, if a server can make it, else of what
// the file holds.

import type { Source } from "../../source";
import { Cache } from "../../source/cache";
import type { Range } from "../../state";
import { type FlameData, read } from "./data";
import { Flame } from "./flame";
import { ofRank } from "./ranks";

/** Graphs that are kept, so that going back to one shows it as it was left. */
const MOST = 8;

const graphs = new Cache<Flame | null>(MOST);
const wholes = new Cache<FlameData | null>(1);

function whole(source: Source): Promise<FlameData | null> {
  return wholes.get(source, "", () => source.part("flame").then((bytes) => (bytes ? read(bytes) : null)));
}

async function make(source: Source, rank: number | null, range: Range | null, base: string | undefined): Promise<Flame | null> {
  if (!source.live) {
    const all = await whole(source);
    return all && new Flame(rank === null ? all : ofRank(all, rank));
  }
  const query: Record<string, string> = {};
  if (rank !== null) query.rank = String(rank);
  if (range) [query.start, query.end] = range.map((time) => String(Math.round(time))) as [string, string];
  if (base !== undefined) query.base = base;
  const bytes = await source.part("flame", query);
  return bytes && new Flame(read(bytes));
}

/** A file has no time of its sums, so a range changes nothing there. `base` is the run that a server compares with. */
export function load(source: Source, rank: number | null, range: Range | null, base?: string): Promise<Flame | null> {
  const key = JSON.stringify([rank, source.live ? range : null, base]);
  return graphs.get(source, key, () => make(source, rank, range, base));
}
