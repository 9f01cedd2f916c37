// What the bench has gathered: it stays when another view is opened.

import { signal } from "@preact/signals";
import type { BenchPoint } from "./points";

/** Predictions, measurements and imports that are drawn, the newest last. */
export const points = signal<readonly BenchPoint[]>([]);
/** What a device cannot do, of the last prediction. */
export const refused = signal<readonly { op: string; precision: string; reason: string }[]>([]);

function key(point: BenchPoint): string {
  return [point.origin, point.name, point.precision, point.device].join("\n");
}

/** Adds points; one of the same kernel, precision and origin takes the place of the older. */
export function add(more: readonly BenchPoint[]): void {
  const byKey = new Map(points.value.map((point) => [key(point), point]));
  for (const point of more) {
    byKey.delete(key(point));
    byKey.set(key(point), point);
  }
  points.value = [...byKey.values()];
}
