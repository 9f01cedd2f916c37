// Points of another run under those of this one: where each was, and how much longer a call takes now.

import type { Choices } from "./choices";
import { type Data, type Point, placeOf } from "./data";
import type { Was } from "./drawing";

/** What makes points of two runs the same: all but how long they took. */
function exact(point: Point): string {
  return JSON.stringify([point.name, point.dtype, point.flops, point.macs, point.bytes]);
}

function likely(point: Point): string {
  return JSON.stringify([point.name, point.dtype]);
}

function grouped(points: readonly Point[], key: (point: Point) => string): Map<string, Point[]> {
  const groups = new Map<string, Point[]>();
  for (const point of points) {
    const group = groups.get(key(point));
    if (group) group.push(point);
    else groups.set(key(point), [point]);
  }
  return groups;
}

/**
 * The point of `base` for each of `points`, by place. First those that do the same work; then those of the same name, in order of
 * their work, where both runs have as many of them left: other shapes of one operator.
 */
export function matched(points: readonly Point[], base: readonly Point[]): (Point | null)[] {
  const found = new Map<Point, Point>();
  const used = new Set<Point>();
  const pair = (key: (point: Point) => string, isSure: boolean) => {
    const theirs = grouped(base.filter((one) => !used.has(one)), key);
    for (const [name, ours] of grouped(points.filter((one) => !found.has(one)), key)) {
      const others = theirs.get(name) ?? [];
      if (!isSure && others.length !== ours.length) continue;
      const work = (one: Point) => one.flops ?? one.macs ?? one.bytes ?? 0;
      const [left, right] = [ours, others].map((list) => list.toSorted((a, b) => work(a) - work(b) || a.index - b.index)) as [Point[], Point[]];
      left.forEach((one, at) => {
        const other = right[at];
        if (!other) return;
        found.set(one, other);
        used.add(other);
      });
    }
  };
  pair(exact, true);
  pair(likely, false);
  return points.map((point) => found.get(point) ?? null);
}

function perCall({ time, calls }: Point): number | null {
  return time !== null && time > 0 ? time / Math.max(1, calls ?? 1) : null;
}

/** How much longer a call takes, in percent; null if that is not known. */
export function change(now: Point, before: Point): number | null {
  const [new_, old] = [perCall(now), perCall(before)];
  return new_ !== null && old !== null ? 100 * (new_ / old - 1) : null;
}

/** In words: `-12%`. */
export function changeText(now: Point, before: Point): string {
  const by = change(now, before);
  if (by === null) return "";
  const text = Math.abs(by) < 10 ? by.toFixed(1) : by.toFixed(0);
  return `${by > 0 ? "+" : ""}${text}%`;
}

/** Where the points of `data` were in the other run; null for those that were not on the chart. */
export function trails(data: Data, before: readonly (Point | null)[], level: Choices["level"]): (Was | null)[] {
  return data.points.map((point, at) => {
    const old = before[at];
    const place = old ? placeOf(old, level) : null;
    if (!old || place?.at !== "chart" || place.guess) return null;
    return { x: place.x, y: place.y, text: changeText(point, old) };
  });
}
