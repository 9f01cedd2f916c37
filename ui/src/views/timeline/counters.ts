// Counters below the tracks: what they were at a time, and their picture.

import { bytes as bytesText, decimal } from "../../format";
import type { CounterHead } from "./data";
import { COUNTER } from "./layout";
import { OPERATOR } from "./relations";
import { offset, type Scene, xOf } from "./scene";

/** The least and the greatest value of a counter, with 0 between them. */
export function extremes(counter: CounterHead): [number, number] {
  let [least, most] = [0, 0];
  for (const [, value] of counter.points) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

export function amount(value: number, isBytes: boolean): string {
  return isBytes ? bytesText(value) : Number.isInteger(value) ? value.toLocaleString("en") : decimal(value);
}

/** The last point of a counter up to a time. */
export function pointAt(counter: CounterHead, time: number): readonly [number, number] | undefined {
  const { points } = counter;
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]![0] <= time) low = middle + 1;
    else high = middle;
  }
  return points[low - 1];
}

export function paintCounter(scene: Scene, counter: CounterHead, rank: number, y: number): void {
  const { context, viewport, margin, width } = scene;
  const { points } = counter;
  const [least, most] = extremes(counter);
  const base = y + COUNTER - 2;
  const scale = (COUNTER - 8) / (most - least || 1);
  const shift = offset(scene, rank);
  const first = pointAt(counter, viewport.from + shift);
  const path = new Path2D();
  let at = first ? points.indexOf(first) : 0;
  let started = false;
  for (; at < points.length; at++) {
    const [time, value] = points[at]!;
    const x = Math.max(margin, xOf(scene, time, rank));
    if (x > width) break;
    const until = Math.min(width, at + 1 < points.length ? xOf(scene, points[at + 1]![0], rank) : xOf(scene, viewport.whole.to + shift, rank));
    const height = base - (value - least) * scale;
    if (!started) path.moveTo(x, base);
    started = true;
    path.lineTo(x, height);
    path.lineTo(Math.max(x, until), height);
    if (at + 1 === points.length || until >= width) path.lineTo(Math.max(x, until), base);
  }
  if (!started) return;
  context.fillStyle = scene.colours.css[OPERATOR] ?? scene.theme.link;
  context.globalAlpha = 0.55;
  context.fill(path);
  context.globalAlpha = 1;
  context.fillStyle = scene.theme.line;
  context.fillRect(margin, Math.round(base), width - margin, 1);
}
