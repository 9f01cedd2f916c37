// Peaks, bandwidths and limits that are changed while one looks.

import { CAUSES, LIMITS, type Limits } from "./classify";
import { assessPoint, type Data, type Point, type RoofLine } from "./data";

/** What differs from the document; rates by the name of the roof, in its own unit. */
export interface Adjustment {
  rates: ReadonlyMap<string, number>;
  limits: Readonly<Partial<Limits>>;
}

export const NONE: Adjustment = { rates: new Map(), limits: {} };

export function isAdjusted({ rates, limits }: Adjustment): boolean {
  return rates.size > 0 || Object.keys(limits).length > 0;
}

function changed(roofs: readonly RoofLine[], rates: Adjustment["rates"], main: number | undefined): RoofLine[] {
  return roofs.map((roof) => {
    const rate = rates.get(roof.name) ?? roof.rate;
    const knee = roof.kind === "compute" && main ? rate / main : roof.knee;
    if (rate === roof.rate && knee === roof.knee) return roof;
    const own = rate !== roof.rate;
    return { ...roof, rate, knee, source: own ? `set here; ${roof.source} says otherwise` : roof.source };
  });
}

function reassessed(point: Point, memory: readonly RoofLine[], compute: readonly RoofLine[], limits: Limits): Point {
  const found = point.adjustable ? assessPoint(point, memory, compute, limits) : null;
  if (!found) return point;
  const calls = point.calls || 1;
  return {
    ...point,
    pct: found.pct,
    roof: found.attainable === null ? null : found.attainable / 1e9,
    class: found.class,
    boundBy: found.boundBy,
    headroom: found.headroom === null ? null : found.headroom * 1e9 * calls,
    knee: found.knee,
    delta: found.knee && found.intensity && Number.isFinite(found.intensity) ? Math.log10(found.intensity / found.knee) : null,
    status: found.status,
    flag: found.flag ? CAUSES[found.flag] : null,
  };
}

/** The same points under other roofs and limits. Without a change it is the document's own data. */
export function adjusted(data: Data, adjustment: Adjustment): Data {
  if (!isAdjusted(adjustment)) return data;
  const limits = { ...LIMITS, ...adjustment.limits };
  const memory = changed(data.memory, adjustment.rates, undefined);
  const compute = changed(data.compute, adjustment.rates, memory[0]?.rate);
  return { ...data, memory, compute, points: data.points.map((point) => reassessed(point, memory, compute, limits)) };
}

/** What a section says of all its points, of those that are shown under changed roofs; times in nanoseconds. */
export function summary(data: Data, time: number): { headroom_ns: number; assessed_pct: number | null; above_roof: number } {
  let [headroom, assessed, above] = [0, 0, 0];
  for (const point of data.points) {
    headroom += Math.max(0, point.headroom ?? 0);
    if (point.pct !== null) assessed += point.time ?? 0;
    if (point.flag !== null) above += 1;
  }
  return { headroom_ns: Math.round(headroom), assessed_pct: time > 0 ? (100 * assessed) / time : null, above_roof: above };
}

/** How many points have another status than the document says, and which way. */
export function moved(before: readonly Point[], after: readonly Point[]): { count: number; fixed: number } {
  let count = 0;
  let fixed = 0;
  after.forEach((point, index) => {
    if (point.status !== before[index]?.status) count += 1;
    if (!point.adjustable) fixed += 1;
  });
  return { count, fixed };
}
