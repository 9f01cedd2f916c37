// What one has chosen in the view, kept in the address: what is shown, how it is coloured, which roofs are changed.

import { set, setting, settings, usual } from "../../state";
import type { Adjustment } from "./adjust";
import { LIMITS, type Limits } from "./classify";
import { CACHES, type Data, type LevelChoice, type Point } from "./data";

export type Grouping = "status" | "kind" | "dtype";
export const GROUPINGS: readonly Grouping[] = ["status", "kind", "dtype"];
export const GROUPING_WORDS: Record<Grouping, string> = { status: "Status", kind: "Category", dtype: "Type" };

/** Status colors: safe for color-blind readers, or green, red and blue as in NPU tools. */
export type Palette = "safe" | "classic";
export const PALETTES: readonly Palette[] = ["safe", "classic"];

const KEY = "roofline.";

function listed(key: string): Set<string> {
  const text = setting(KEY + key);
  return new Set(text ? text.split("\n") : []);
}

/** Puts a name into a list of the address, or takes it out. */
export function toggleListed(key: string, name: string): void {
  const names = listed(key);
  if (!names.delete(name)) names.add(name);
  set(KEY + key, names.size ? [...names].join("\n") : null);
}

export function keep(key: string, value: string | null): void {
  set(KEY + key, value);
}

/** Keeps a choice, unless it is what the page has without one. */
export function choose(key: string, value: string, otherwise: string): void {
  set(KEY + key, value === usual(KEY + key, otherwise) ? null : value);
}

export interface Choices {
  colour: Grouping;
  palette: Palette;
  /** All calls of an operator are one point. */
  totals: boolean;
  level: LevelChoice;
  /** Points with the most time, up to this share of it. */
  share: number;
  query: string;
  /** What is filtered out. */
  off: Record<Grouping, ReadonlySet<string>>;
  /** Roofs that are shown though no point has them, or hidden though one has. */
  flipped: ReadonlySet<string>;
  measured: boolean;
  gaps: boolean;
  /** Nothing but what is selected. */
  only: boolean;
  device: string;
  /** The run or input that points came from: `run 3`, `input 1`. */
  base: string;
  side: string;
}

export function palette(): Palette {
  const chosen = setting(`${KEY}palette`, "safe");
  return PALETTES.find((one) => one === chosen) ?? "safe";
}

export function choices(data: Data): Choices {
  const colour = setting(`${KEY}colour`, "status");
  const level = setting(`${KEY}level`, "main");
  const share = Number(setting(`${KEY}share`, "100"));
  return {
    colour: GROUPINGS.find((one) => one === colour) ?? "status",
    palette: palette(),
    totals: setting(`${KEY}totals`) === "yes",
    level: CACHES.find((one) => one === level && data.levels.includes(one)) ?? "main",
    share: share >= 1 && share <= 100 ? share : 100,
    query: setting(`${KEY}query`),
    off: { status: listed("off.status"), kind: listed("off.kind"), dtype: listed("off.dtype") },
    flipped: listed("roofs"),
    measured: setting(`${KEY}measured`) !== "no",
    gaps: setting(`${KEY}gaps`) !== "no",
    only: setting(`${KEY}only`) === "yes",
    device: setting(`${KEY}device`),
    base: setting(`${KEY}base`),
    side: setting(`${KEY}side`, "kernels"),
  };
}

const LIMIT_NAMES = Object.keys(LIMITS) as (keyof Limits)[];

/** What of the roofs and limits is changed. */
export function adjustment(): Adjustment {
  const rates = new Map<string, number>();
  const limits: Partial<Limits> = {};
  for (const [key, value] of Object.entries(settings.value)) {
    const number = Number(value);
    if (!Number.isFinite(number)) continue;
    if (key.startsWith(`${KEY}rate.`) && number > 0) rates.set(key.slice(KEY.length + 5), number);
    const limit = LIMIT_NAMES.find((name) => key === `${KEY}limit.${name}`);
    if (limit && number >= 0) limits[limit] = number;
  }
  return { rates, limits };
}

export function setRate(name: string, rate: number | null): void {
  set(`${KEY}rate.${name}`, rate === null ? null : String(rate));
}

export function setLimit(name: keyof Limits, value: number | null): void {
  set(`${KEY}limit.${name}`, value === null || value === LIMITS[name] ? null : String(value));
}

/** Puts a whole adjustment in the place of what is there. */
export function setAdjustment({ rates, limits }: Adjustment): void {
  const others = Object.entries(settings.value).filter(([key]) => !key.startsWith(`${KEY}rate.`) && !key.startsWith(`${KEY}limit.`));
  for (const [name, rate] of rates) others.push([`${KEY}rate.${name}`, String(rate)]);
  for (const [name, value] of Object.entries(limits)) others.push([`${KEY}limit.${name}`, String(value)]);
  settings.value = Object.fromEntries(others);
}

export function groupOf(point: Point, grouping: Grouping): string {
  return point[grouping] || "not said";
}

/** Names of a grouping with how many points and how much time they have, the most time first. */
export function tally(points: readonly Point[], grouping: Grouping): { name: string; count: number; time: number }[] {
  const sums = new Map<string, { name: string; count: number; time: number }>();
  for (const point of points) {
    const name = groupOf(point, grouping);
    const sum = sums.get(name) ?? { name, count: 0, time: 0 };
    sum.count += 1;
    sum.time += Math.max(0, point.time ?? 0);
    sums.set(name, sum);
  }
  return [...sums.values()].sort((a, b) => b.time - a.time || b.count - a.count);
}

/** Points by time, and for each the share of the time of those before it in percent. */
export function byTime(points: readonly Point[]): { order: number[]; before: number[] } {
  const order = points.map((_, index) => index).sort((a, b) => (points[b]?.time ?? 0) - (points[a]?.time ?? 0));
  const total = points.reduce((sum, point) => sum + Math.max(0, point.time ?? 0), 0);
  const before = new Array<number>(points.length).fill(0);
  let sum = 0;
  for (const index of order) {
    before[index] = total ? (100 * sum) / total : 0;
    sum += Math.max(0, points[index]?.time ?? 0);
  }
  return { order, before };
}

/** The indices of the points that are shown, the most time first. */
export function shownPoints(points: readonly Point[], chosen: Choices, names: ReadonlySet<string>): number[] {
  const { order, before } = byTime(points);
  const query = chosen.query.toLowerCase();
  return order.filter((index) => {
    const point = points[index];
    if (!point) return false;
    if (chosen.share < 100 && (before[index] ?? 0) >= chosen.share) return false;
    if (GROUPINGS.some((grouping) => chosen.off[grouping].has(groupOf(point, grouping)))) return false;
    if (query && !point.name.toLowerCase().includes(query)) return false;
    return !chosen.only || names.size === 0 || names.has(point.name);
  });
}
