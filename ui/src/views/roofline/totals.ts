// All calls of an operator as one point, whatever their shapes.

import type { Limits } from "./classify";
import { statusOf } from "./classify";
import type { Data, Point } from "./data";

/** A sum over points that have the value; null if none has. */
function sum(points: readonly Point[], value: (point: Point) => number | null): number | null {
  const known = points.map(value).filter((one) => one !== null);
  return known.length ? known.reduce((total, one) => total + one, 0) : null;
}

/** What all have in common, if they do. */
function common<Value>(points: readonly Point[], value: (point: Point) => Value): Value | null {
  const first = value(points[0]!);
  return points.every((point) => value(point) === first) ? first : null;
}

const ratio = (over: number | null, under: number | null): number | null => (over !== null && under ? over / under : null);

/**
 * The points of a name as one. Its best time is the sum of theirs, so that its share of the roof is the mean of their shares by time.
 * What is held against no roof has a time and amounts, and no share.
 */
function total(all: readonly Point[], index: number, main: number | undefined, limits: Limits): Point {
  const largest = all.reduce((most, one) => ((one.time ?? 0) > (most.time ?? 0) ? one : most));
  if (all.length === 1) return { ...largest, index };
  const held = all.filter((point) => point.headroom !== null && point.time !== null);
  const calls = sum(all, (point) => point.calls) ?? all.length;
  const times = (one: number | null, other: number | null) => (one !== null && other !== null ? one * other : null);
  const whole = (value: (point: Point) => number | null) => sum(all, (point) => times(value(point), point.calls || 1));
  const [flops, macs, bytes] = [whole((point) => point.flops), whole((point) => point.macs), whole((point) => point.bytes)];
  const time = sum(all, (point) => point.time);
  const headroom = sum(held, (point) => point.headroom);
  const taken = sum(held, (point) => point.time);
  const best = taken !== null && headroom !== null ? taken - headroom : null;
  // In what their ceilings count, each point says itself.
  const amount = sum(all, (point) => times(point.achieved, point.time));
  const ofHeld = sum(held, (point) => times(point.achieved, point.time));
  const intensity = ratio(amount, bytes);
  const bandwidth = ratio(bytes, time);
  const knee = common(all, (point) => point.knee) ?? largest.knee;
  const pct = best !== null && taken ? (100 * best) / taken : null;
  const isRight = knee !== null && intensity !== null ? intensity >= knee : (intensity ?? 0) > 0;
  return {
    ...largest,
    index,
    kind: common(all, (point) => point.kind) ?? "several",
    dtype: common(all, (point) => point.dtype) ?? "several",
    calls,
    flops: ratio(flops, calls),
    macs: ratio(macs, calls),
    bytes: ratio(bytes, calls),
    time,
    intensity,
    achieved: ratio(amount, time),
    bandwidth,
    roof: ratio(ofHeld, best),
    pct,
    class: common(all, (point) => point.class),
    boundBy: common(all, (point) => point.boundBy),
    knee,
    delta: knee && intensity ? Math.log10(intensity / knee) : null,
    headroom,
    status: pct === null ? "Error" : statusOf(isRight, pct, main && bandwidth !== null ? (100 * bandwidth) / main : pct, limits),
    ideal: null,
    dataEfficiency: null,
    flag: all.find((point) => point.flag)?.flag ?? null,
    record: null,
    shape: null,
    caches: {},
    adjustable: false,
  };
}

/** The same data with one point for each name, in the order of the first of them. */
export function totalled(data: Data, limits: Limits): Data {
  const groups = new Map<string, Point[]>();
  for (const point of data.points) {
    const group = groups.get(point.name);
    if (group) group.push(point);
    else groups.set(point.name, [point]);
  }
  return { ...data, levels: [], points: [...groups.values()].map((group, index) => total(group, index, data.memory[0]?.rate, limits)) };
}
