// Ranks side by side by a step instead of by the clock.

import type { Rank } from "./data";

/** How much later each rank is than it is drawn: nothing, or so that a step begins at one place. */
export function alignment(ranks: readonly Rank[], step: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  if (step === "") return found;
  let first: number | undefined;
  for (const { rank, steps } of ranks) {
    const begin = steps.find(([number]) => String(number) === step)?.[1];
    if (begin === undefined) continue;
    first ??= begin;
    found.set(rank, begin - first);
  }
  return found;
}
