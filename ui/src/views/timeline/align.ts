// Ranks and runs side by side by a step instead of by the clock.

import type { Rank } from "./data";
import { isBase } from "./join";

type Step = Rank["steps"][number];

/** The ranks of one of two runs. */
const ofRun = (ranks: readonly Rank[], base: boolean) => ranks.filter((one) => isBase(one.rank) === base);

/** Numbers of the steps that can be put at one place: those of all ranks, or those that both runs have. */
export function commonSteps(ranks: readonly Rank[]): number[] {
  const numbers = (base: boolean) => ofRun(ranks, base).flatMap((one) => one.steps.map(([number]) => number));
  const [own, base] = [new Set(numbers(false)), new Set(numbers(true))];
  const both = ranks.some((one) => isBase(one.rank)) ? [...own].filter((number) => base.has(number)) : [...own];
  return both.sort((a, b) => a - b);
}

/** The steps at which two runs are put together: the one that is asked for, else one in the middle of those that both have, as the first warm up; else the first of each. */
export function together(ranks: readonly Rank[], step: string): readonly [own: Step, base: Step] | null {
  const [own, base] = [false, true].map((of) => ofRun(ranks, of).find((one) => one.steps.length)?.steps);
  if (!own || !base) return null;
  const both = commonSteps(ranks);
  const number = both.find((one) => String(one) === step) ?? both[both.length >> 1];
  const of = (steps: readonly Step[]) => steps.find((one) => one[0] === number) ?? steps[0]!;
  return [of(own), of(base)];
}

/** How much later each rank is than it is drawn: nothing, or so that a step begins at one place. */
export function alignment(ranks: readonly Rank[], step: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const below = ofRun(ranks, true);
  if (below.length) {
    const pair = together(ranks, step);
    const by = pair ? pair[1][1] - pair[0][1] : below[0]!.start - (ofRun(ranks, false)[0]?.start ?? 0);
    for (const { rank } of below) found.set(rank, by);
  }
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

/** How long the steps at which two runs are put together take, averaged over the ranks that have them. */
export function stepTimes(ranks: readonly Rank[], step: string): { number: number; time: number }[] {
  return (together(ranks, step) ?? []).map(([number], at) => {
    const times = ofRun(ranks, at === 1).flatMap((one) => one.steps.filter((found) => found[0] === number).map(([, from, to]) => to - from));
    return { number, time: times.reduce((sum, time) => sum + time, 0) / times.length };
  });
}
