// What the chart draws: the tables of the section `roofline`, read once.

import { type Document, headline, type Row, rows } from "../../source/document";
import { type Ceiling, type Level, LIMITS, type Status, STATUSES, assess } from "./classify";

/** Memory levels besides main memory, by the ends of their columns. */
export const CACHES = ["llc", "l2", "l1", "lds"] as const;
export type Cache = (typeof CACHES)[number];
/** The level whose intensity the horizontal axis shows. */
export type LevelChoice = "main" | Cache;

export interface Point {
  /** Its place among all points, which is its identity here: names may repeat. */
  index: number;
  name: string;
  kind: string;
  dtype: string;
  calls: number | null;
  /** Of one call. */
  flops: number | null;
  macs: number | null;
  bytes: number | null;
  /** Of all calls, in nanoseconds. */
  time: number | null;
  intensity: number | null;
  /** In 10^9 of what its peak counts per second. */
  achieved: number | null;
  /** In GB/s. */
  bandwidth: number | null;
  roof: number | null;
  pct: number | null;
  class: string | null;
  boundBy: string | null;
  delta: number | null;
  headroom: number | null;
  status: Status;
  symbol: string;
  /** Intensity without waste, if moved bytes were measured. */
  ideal: number | null;
  dataEfficiency: number | null;
  /** Why it lies above its roof. */
  flag: string | null;
  record: string | null;
  /** Of its arguments, where they were recorded: `8192×1024 · 1024×768`. */
  shape: string | null;
  caches: Partial<Record<Cache, { bytes: number | null; intensity: number | null }>>;
  /** The intensity of the knee of its own roof. */
  knee: number | null;
  /** The compute ceiling that is its own, by name, if one is known. */
  ceiling: string | null;
  /** Whether roofs that are changed say something about it: its numbers follow from them by `assess`. */
  adjustable: boolean;
}

export interface RoofLine {
  name: string;
  kind: "memory" | "compute";
  /** In GB/s, or 10^9 of what it counts per second. */
  rate: number;
  counts: string;
  knee: number | null;
  source: string;
  confidence: string;
  /** True if it was measured, false if a datasheet says it. */
  measured: boolean;
  /** True if no public document states it. */
  unverified: boolean;
  /** `bf16`, and `matrix`, `vector` or nothing: what toggles go by. */
  type: string;
  unit: string;
}

export interface Data {
  device: string;
  points: Point[];
  memory: RoofLine[];
  compute: RoofLine[];
  /** Measured roofs that stand beside those of the device. */
  beside: RoofLine[];
  /** Names of the compute roofs that some point has as its own. */
  used: ReadonlySet<string>;
  counts: "FLOP" | "MAC" | "OP";
  unmodelled: Row[];
  operators: Row[];
  /** Levels that points have intensities of, besides main memory. */
  levels: Cache[];
  /** Time of all points, in nanoseconds. */
  time: number;
}

function number(row: Row, id: string): number | null {
  const value = row[id];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function text(row: Row, id: string): string {
  const value = row[id];
  return typeof value === "string" ? value : "";
}

/** The shapes of the inputs of a command of an NPU. */
function inputsOf(record: string): string[] {
  try {
    const found = Object.entries(JSON.parse(record) as Record<string, unknown>);
    return found.flatMap(([key, value]) => (key.startsWith("input") && Array.isArray(value) && value.every((one) => typeof one === "number") ? [value.join("×")] : []));
  } catch {
    return [];
  }
}

/** The shapes of arguments as they were recorded, `16x32 bf16, scalar; scalars 1`, without their types and scalars. */
export function shapeOf(record: string): string | null {
  const [tensors = ""] = record.split(";");
  const shapes = record.startsWith("{") ? inputsOf(record) : tensors.split(",").flatMap((one) => /^\s*(\d+(?:x\d+)*) \S+\s*$/.exec(one)?.[1]?.replaceAll("x", "×") ?? []);
  return shapes.length ? shapes.slice(0, 4).join(" · ") : null;
}

function pointOf(row: Row): Point {
  const status = text(row, "status");
  const intensity = number(row, "intensity");
  const delta = number(row, "delta_log10_oi_to_knee");
  const caches: Point["caches"] = {};
  for (const cache of CACHES) {
    const found = { bytes: number(row, `bytes_${cache}`), intensity: number(row, `intensity_${cache}`) };
    if (found.bytes !== null || found.intensity !== null) caches[cache] = found;
  }
  return {
    index: row.index,
    name: text(row, "name"),
    kind: text(row, "kind"),
    dtype: text(row, "dtype"),
    calls: number(row, "calls"),
    flops: number(row, "flops"),
    macs: number(row, "macs"),
    bytes: number(row, "bytes"),
    time: number(row, "time_ns"),
    intensity,
    achieved: number(row, "achieved_gflops"),
    bandwidth: number(row, "achieved_gbps"),
    roof: number(row, "roof_gflops"),
    pct: number(row, "pct_of_roof"),
    class: text(row, "class") || null,
    boundBy: text(row, "bound_by") || null,
    delta,
    headroom: number(row, "headroom_ns"),
    status: STATUSES.find((one) => one === status) ?? "Error",
    symbol: text(row, "symbol"),
    ideal: number(row, "ideal_intensity"),
    dataEfficiency: number(row, "data_efficiency_pct"),
    flag: text(row, "flag") || null,
    record: text(row, "record") || null,
    shape: shapeOf(text(row, "record")),
    caches,
    knee: intensity !== null && intensity > 0 && delta !== null ? intensity / 10 ** delta : null,
    ceiling: null,
    adjustable: false,
  };
}

/** `bf16 matrix` or `bf16_tensor` as a type and units. */
export function typeAndUnit(name: string): [string, string] {
  const [type = name, ...rest] = name.split(/[ _]+/);
  return [type, rest.join(" ").replace("tensor", "matrix")];
}

function roofOf(row: Row): RoofLine | null {
  const rate = number(row, "rate");
  const kind = row.kind === "memory" ? "memory" : "compute";
  if (rate === null || rate <= 0) return null;
  const name = text(row, "name");
  const [type, unit] = typeAndUnit(name);
  const confidence = text(row, "confidence");
  return {
    name,
    kind,
    rate,
    counts: text(row, "counts"),
    knee: number(row, "knee"),
    source: text(row, "source"),
    confidence,
    measured: confidence === "measured",
    unverified: confidence === "unverified",
    type,
    unit,
  };
}

/** Roofs of `eaves device measure`, if the document has them beside the device of the points. */
function measuredRoofs(document: Document): RoofLine[] {
  return rows(document, "measured-roofs", "roofs").flatMap((row) => {
    const rate = number(row, "all") ?? number(row, "one_core");
    if (rate === null || rate <= 0 || (row.kind !== "memory" && row.kind !== "arithmetic")) return [];
    const kind = row.kind === "memory" ? ("memory" as const) : ("compute" as const);
    const name = text(row, "name");
    const [type, unit] = typeAndUnit(name);
    const source = "measured on this machine";
    return [{ name, kind, rate, counts: kind === "memory" ? "byte" : "flop", knee: null, source, confidence: "measured", measured: true, unverified: false, type, unit }];
  });
}

function near(a: number | null, b: number | null, rounding = 0): boolean {
  return a !== null && b !== null && b !== 0 && Math.abs(a / b - 1) < 1e-6 + rounding;
}

/** The compute roof that a point is held against: what bounds it, else the one with its knee, its own type first. */
function ceilingOf(point: Point, compute: readonly RoofLine[]): RoofLine | null {
  const bounding = compute.find((roof) => roof.name === point.boundBy);
  if (bounding) return bounding;
  const candidates = compute.filter((roof) => near(point.knee, roof.knee));
  return candidates.find((roof) => isOf(point, roof)) ?? candidates[0] ?? null;
}

function isOf(point: Point, roof: RoofLine): boolean {
  return point.boundBy === roof.name || typeAndUnit(point.dtype.toLowerCase())[0] === roof.type.toLowerCase();
}

/** The levels of the device with the ids that points know them by. Main memory is first. */
export function levelsOf(memory: readonly RoofLine[]): Level[] {
  return memory.map((roof, index) => ({ id: index === 0 ? "main" : cacheOf(roof.name), name: roof.name, rate: roof.rate * 1e9 }));
}

/** Which column a cache of a device belongs to. */
export function cacheOf(name: string): string {
  const lower = name.toLowerCase();
  if (/lds|shared/.test(lower)) return "lds";
  if (/infinity|llc|mall|l3/.test(lower)) return "llc";
  return /l2/.test(lower) ? "l2" : /l1/.test(lower) ? "l1" : lower;
}

/** Operations of one call, in what its ceiling counts. */
export function amountOf(point: Point, counts: string | undefined): number | null {
  return counts === "mac" ? point.macs : point.flops;
}

/** What a point moves in one call, by level. */
export function bytesOf(point: Point): Map<string, number> {
  const moved = new Map<string, number>();
  if (point.bytes !== null) moved.set("main", point.bytes);
  for (const cache of CACHES) {
    const bytes = point.caches[cache]?.bytes;
    if (bytes != null) moved.set(cache, bytes);
  }
  return moved;
}

/** Holds a point against roofs; null if it has no amounts or no time of one call. */
export function assessPoint(
  point: Point,
  memory: readonly RoofLine[],
  compute: readonly RoofLine[],
  limits = LIMITS,
): ReturnType<typeof assess> | null {
  const roof = compute.find((one) => one.name === point.ceiling);
  const amount = amountOf(point, roof?.counts);
  if (amount === null) return null;
  const ceiling: Ceiling | null = roof ? { name: roof.name, rate: roof.rate * 1e9 } : null;
  const time = point.time === null ? null : point.time / 1e9 / (point.calls || 1);
  return assess({ compute: ceiling, levels: levelsOf(memory) }, amount, bytesOf(point), time, limits);
}

export function read(document: Document): Data {
  const points = rows(document, "roofline", "points").map(pointOf);
  const roofs = rows(document, "roofline", "roofs").flatMap((row) => roofOf(row) ?? []);
  const memory = roofs.filter((roof) => roof.kind === "memory");
  const compute = roofs.filter((roof) => roof.kind === "compute");
  for (const point of points) {
    point.ceiling = ceilingOf(point, compute)?.name ?? null;
    // Counters may know more than the tables do, such as several types in one kernel: then the document's word stands.
    const found = assessPoint(point, memory, compute);
    // Times are whole nanoseconds in the table.
    const rounding = point.time ? 0.5 / point.time : 0;
    point.adjustable =
      found !== null && (near(found.pct, point.pct, rounding) || (found.pct === null && point.pct === null));
  }
  const device = headline(document, "roofline", "device")?.value;
  const used = usedRoofs(points, compute);
  const macs = used.filter((roof) => roof.counts === "mac").length;
  return {
    device: typeof device === "string" ? device : "",
    points,
    memory,
    compute,
    beside: measuredRoofs(document),
    used: new Set(used.map((roof) => roof.name)),
    counts: macs > 0 ? (macs === used.length ? "MAC" : "OP") : points.length && points.every((point) => /^u?int/i.test(point.dtype)) ? "OP" : "FLOP",
    unmodelled: rows(document, "roofline", "unmodelled"),
    operators: rows(document, "roofline", "by_operator"),
    levels: CACHES.filter((cache) => points.some((point) => (point.caches[cache]?.intensity ?? 0) > 0)),
    time: points.reduce((sum, point) => sum + Math.max(0, point.time ?? 0), 0),
  };
}

/** Roofs that some point has as its own; types that share a rate share a line, named after those that points have. */
function usedRoofs(points: readonly Point[], compute: readonly RoofLine[]): RoofLine[] {
  let used = compute.filter((roof) => points.some((point) => point.boundBy === roof.name || near(point.knee, roof.knee)));
  if (!used.length) used = [...compute];
  const types = new Set([...new Set(points.map((point) => point.dtype.toLowerCase()))].map((dtype) => typeAndUnit(dtype)[0]));
  const bounds = new Set(points.map((point) => point.boundBy));
  const named = (roof: RoofLine): boolean => bounds.has(roof.name) || types.has(roof.type.toLowerCase());
  const rates = new Set(used.filter(named).map((roof) => roof.rate));
  return used.filter((roof) => named(roof) || !rates.has(roof.rate));
}

/** Where a point can be drawn; none is ever drawn at zero. */
export type Place =
  | { at: "chart"; x: number; y: number; guess: boolean }
  | { at: "copies" | "still"; y: number }
  | null;

export function placeOf(point: Point, level: LevelChoice): Place {
  const { achieved, roof, bandwidth } = point;
  const known = level === "main" ? point.intensity : (point.caches[level]?.intensity ?? null);
  const x = known !== null && known > 0 ? known : null;
  if (x !== null && achieved !== null && achieved > 0) return { at: "chart", x, y: achieved, guess: false };
  if (level !== "main") return null;
  // Bytes of main memory were not counted: its places are those of the caches.
  if (achieved !== null && achieved > 0 && known === null && bandwidth === null && Object.keys(point.caches).length) return null;
  if (achieved !== null && achieved > 0) return { at: "still", y: achieved };
  if (x !== null && achieved === null && roof !== null && roof > 0) return { at: "chart", x, y: roof, guess: true };
  return bandwidth !== null && bandwidth > 0 ? { at: "copies", y: bandwidth } : null;
}
