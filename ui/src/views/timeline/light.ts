// What stays bright while the rest of the picture steps back.

import type { Slices } from "./relations";
import type { Scene } from "./scene";
import { bright } from "./strip";

/** What others are while a search or a selection is shown. */
const REST_OF_SEARCH = 0.22;
const REST_OF_SELECTION = 0.55;

/** Matches of a search, else what is selected on the page, by name; nothing if all is as bright. */
export function light(slices: Slices, matches: ((name: string) => boolean) | null, chosen: ReadonlySet<string>): { wanted: Uint8Array | null; lit: Scene["lit"] } {
  const { names } = slices.data.head;
  let wanted: Uint8Array | null = null;
  if (matches) wanted = Uint8Array.from(names, (name) => (matches(name) ? 1 : 0));
  else if (chosen.size) wanted = Uint8Array.from(names, (name) => (chosen.has(name) ? 1 : 0));
  // A selection that is nowhere here leaves the picture as it is.
  if (!matches && wanted && !wanted.includes(1)) wanted = null;
  return { wanted, lit: wanted && bright(slices, wanted, matches ? REST_OF_SEARCH : REST_OF_SELECTION) };
}
