// Sets of tracks that the address keeps: which are pinned, which are hidden.

import { set, setting } from "../../state";

/** Keys that are kept in the address under a name. */
export function keysOf(name: string): Set<string> {
  return new Set(setting(`timeline.${name}`).split("\n").filter(Boolean));
}

export function keepKeys(name: string, keys: ReadonlySet<string>): void {
  set(`timeline.${name}`, keys.size ? [...keys].join("\n") : null);
}
