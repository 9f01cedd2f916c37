// Everything a log-log chart draws, as plain values: the same for the screen, a file and a test.

import { Builder } from "./builder";
import type { Frame, Measure, Scene, Spec, Whole, Window } from "./drawing";
import { spanOf } from "./scale";

export type * from "./drawing";

/** Without letters to measure. */
const guessed: Measure = (text) => text.length * 5.9;

/** How far off a point may be until the axis leaves it out, in powers of ten, and how few such points there may be. */
const FAR = 1.2;
const FEW = 0.1;

/** Values without the few that stand far off at either end: one point would leave half of the chart empty. */
export function near(values: readonly (number | null | undefined)[]): number[] {
  const sorted = values.filter((value): value is number => typeof value === "number" && value > 0 && value < Infinity).sort((a, b) => a - b);
  const most = Math.floor(sorted.length * FEW);
  const isFar = (one: number, other: number) => Math.log10(other / one) > FAR;
  let [from, to] = [0, sorted.length];
  for (let at = most; at > 0; at--) if (isFar(sorted[at - 1]!, sorted[at]!)) { from = at; break; }
  for (let at = most; at > 0; at--) if (isFar(sorted.at(-at - 1)!, sorted.at(-at)!)) { to = sorted.length - at; break; }
  return sorted.slice(from, to);
}

/** The window that shows everything, but for what stands far off: that is marked at the edge. */
export function fit(spec: Spec): Whole {
  const main = spec.slopes.find((slope) => slope.main);
  const knees = main ? spec.plateaus.map((plateau) => plateau.rate / main.rate) : [];
  const inside = spec.spots.filter((spot) => !spot.strip);
  const before = spec.before?.flatMap((was, index) => (was && !spec.spots[index]?.hidden ? [was] : [])) ?? [];
  const copies = spec.spots.filter((spot) => spot.strip === "copies");
  return {
    x: spanOf([...near(inside.map((spot) => spot.x)), ...before.map((was) => was.x), ...(spec.gaps ? inside.map((spot) => spot.ideal) : []), ...knees, ...knees.map((knee) => knee * 6)]),
    y: spanOf([...spec.spots.filter((spot) => spot.strip !== "copies").map((spot) => spot.y), ...before.map((was) => was.y), ...(spec.steps?.flatMap((all, index) => (spec.spots[index]?.hidden ? [] : all.map((one) => one.y))) ?? []), ...spec.plateaus.map((plateau) => plateau.rate)], 0.22, 0.3),
    band: copies.length ? spanOf([...copies.map((spot) => spot.y), main?.rate]) : null,
    still: spec.spots.some((spot) => spot.strip === "still"),
  };
}

export function frameOf(whole: Whole, width: number, height: number): Frame {
  return { width, height, left: 58 + (whole.band ? 112 : 0), right: width - (whole.still ? 62 : 12), top: 10, bottom: height - 42 };
}

/** Everything there is to draw in a window of the chart. */
export function scene(spec: Spec, window: Window, whole: Whole, width: number, height: number, chosen: ReadonlySet<number> = new Set(), measure: Measure = guessed): Scene {
  const frame = frameOf(whole, width, height);
  const build = new Builder(spec, window, whole, frame, measure);
  const at = build.positions();
  build.keepClear(at);
  build.zones();
  build.axes();
  build.plateaus();
  build.slopes();
  build.line("frame", `M${frame.left} ${frame.top}H${frame.right}V${frame.bottom}H${frame.left}z`);
  build.edges(at);
  build.gaps(at, chosen);
  build.trails(at, chosen);
  build.stepTrails(at, chosen);
  const [names, nameable] = build.names(at, chosen);
  return { frame, lines: build.lines, texts: build.texts, at, names, nameable };
}

/** The spot nearest to a place, within reach; -1 if there is none. */
export function nearest(drawn: Scene, spec: Spec, x: number, y: number, reach = 16): number {
  let best = -1;
  let least = reach;
  drawn.at.forEach((where, index) => {
    if (!where) return;
    const away = Math.max(0, Math.hypot(where[0] - x, where[1] - y) - (spec.spots[index]?.radius ?? 0) * 0.7);
    if (away < least) [least, best] = [away, index];
  });
  return best;
}

/** The next spot in a direction, for the arrow keys. */
export function next(drawn: Scene, spec: Spec, from: number, dx: number, dy: number): number {
  const here = drawn.at[from];
  const { frame } = drawn;
  if (!here) return nearest(drawn, spec, dx > 0 || dy > 0 ? frame.left : frame.right, dy > 0 ? frame.top : frame.bottom, Infinity);
  let best = from;
  let least = Infinity;
  drawn.at.forEach((where, index) => {
    if (!where || index === from) return;
    const [x, y] = [where[0] - here[0], where[1] - here[1]];
    const along = x * dx + y * dy;
    const across = Math.abs(x * dy) + Math.abs(y * dx);
    if (along > 0 && along + 2 * across < least) [least, best] = [along + 2 * across, index];
  });
  return best;
}
