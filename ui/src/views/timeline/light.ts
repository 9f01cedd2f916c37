// What stays bright while the rest of the picture steps back.

import type { Slices } from "./relations";
import type { Scene } from "./scene";
import { bright } from "./strip";

/** What others are while a search or a selection is shown. */
const REST_OF_SEARCH = 0.22;
const REST_OF_SELECTION = 0.55;

/** The entries of some names. */
function named(slices: Slices, wants: (name: string) => boolean): Uint8Array {
  const { head, name } = slices.data;
  const names = Uint8Array.from(head.names, (text) => (wants(text) ? 1 : 0));
  // A loop: `from` with a function takes ten times as long.
  const wanted = new Uint8Array(name.length);
  for (let entry = 0; entry < name.length; entry++) wanted[entry] = names[name[entry]!]!;
  return wanted;
}

/** Adds what the entries launched, themselves or by what they called, and the launch and the operator of those that were launched. */
export function withLaunches(slices: Slices, wanted: Uint8Array): Uint8Array {
  const { data, lod } = slices;
  const { start, end, launch, rows, total } = data;
  const lit = wanted.slice();
  const inside = new Uint8Array(total);
  for (const row of rows) {
    if (row.track.stream) continue;
    const below = row.track.rows.filter((one) => one.band === row.band && one.depth > row.depth);
    for (let entry = row.from; entry < row.to; entry++) {
      if (!wanted[entry]) continue;
      inside[entry] = 1;
      for (const { from, to } of below) for (let call = lod.after(from, to, start[entry]!); call < to && start[call]! < end[entry]!; call++) inside[call] = 1;
    }
  }
  for (let entry = 0; entry < total; entry++) {
    const call = launch[entry]!;
    if (call < 0) continue;
    if (inside[call]) lit[entry] = 1;
    if (!wanted[entry] || lit[call]) continue;
    lit[call] = 1;
    const operator = slices.operator(call);
    if (operator >= 0) lit[operator] = 1;
  }
  return lit;
}

/** Matches of a search, else what is selected on the page with what it launched or was launched by; nothing if all is as bright. */
export function light(slices: Slices, matches: ((name: string) => boolean) | null, chosen: ReadonlySet<string>): { wanted: Uint8Array | null; lit: Scene["lit"] } {
  const own = matches ? named(slices, matches) : chosen.size ? named(slices, (name) => chosen.has(name)) : null;
  // A selection that is nowhere here leaves the picture as it is.
  if (!own || (!matches && !own.includes(1))) return { wanted: null, lit: null };
  const wanted = matches ? own : withLaunches(slices, own);
  return { wanted, lit: bright(slices, wanted, matches ? REST_OF_SEARCH : REST_OF_SELECTION) };
}
