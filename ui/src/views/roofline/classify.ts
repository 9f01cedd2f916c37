// How far something is from its roof, and what that is called: the twin of `crates/roofline/src/roof.rs` (`assess`), for
// roofs that are changed while one looks. The document's own numbers are shown as long as nothing is changed; tests hold
// this against the vectors of the Rust tests, hand calculation, and what the program says of random kernels.
//
// Time is the primary quantity: work takes at best the longest of its times at each ceiling. Rates are per second.

export const STATUSES = [
  "Compute Bound",
  "Memory Bound",
  "Compute Inefficient",
  "Memory Inefficient",
  "Normal",
  "Error",
] as const;
export type Status = (typeof STATUSES)[number];
export type Class = "memory-bound" | "compute-bound" | "balanced";

/** Limits between statuses and classes, in percent; the factor around the knee within which something is balanced. */
export interface Limits {
  bound: number;
  compute: number;
  memory: number;
  balanced: number;
}

/** Those of the command line. */
export const LIMITS: Limits = { bound: 70, compute: 40, memory: 40, balanced: 1.2 };

export interface Level {
  id: string;
  name: string;
  /** Bytes per second. */
  rate: number;
}

export interface Ceiling {
  name: string;
  rate: number;
  /** The same with structured sparsity, if it is known. */
  sparse?: number | null;
}

export interface Roof {
  /** Absent if there is no known peak. */
  compute: Ceiling | null;
  /** Main memory first. */
  levels: readonly Level[];
  /** The largest cache, if it is known. */
  cache?: { name: string; bytes: number } | null;
}

export type Flag = "sparse" | "compute" | "cached" | "bandwidth";

export interface Assessment {
  /** Infinite if nothing is moved. */
  intensity: number | null;
  knee: number | null;
  /** The best time in seconds. */
  ideal: number | null;
  /** The rate at the best time. */
  attainable: number | null;
  class: Class | null;
  boundBy: string | null;
  achieved: number | null;
  bandwidth: number | null;
  pct: number | null;
  /** Seconds above the best time; negative above the roof. */
  headroom: number | null;
  flag: Flag | null;
  status: Status;
}

/**
 * Holds `amount` operations and the bytes moved at each level (by its id; a level without an entry does not bound) against a
 * roof. `time` is what was measured, in seconds.
 */
export function assess(
  roof: Roof,
  amount: number,
  bytes: ReadonlyMap<string, number>,
  time: number | null,
  limits: Limits,
): Assessment {
  const main = roof.levels[0];
  const moved = (main && bytes.get(main.id)) ?? null;
  const { compute } = roof;
  // Unknown is not free: arithmetic without a known peak leaves the best time unknown.
  const known = (compute !== null || amount === 0) && (main !== undefined || moved === null || moved === 0);
  let ideal: number | null = null;
  let boundBy: string | null = null;
  // Whether a cache bounds: then main memory and its knee say nothing about what bounds.
  let inCache = false;
  const consider = (seconds: number, name: string, cache: boolean): void => {
    if (seconds > 0 && (ideal === null || seconds > ideal)) [ideal, boundBy, inCache] = [seconds, name, cache];
  };
  if (compute) consider(amount / compute.rate, compute.name, false);
  roof.levels.forEach((level, index) => {
    const size = bytes.get(level.id);
    if (size !== undefined) consider(size / level.rate, level.name, index > 0);
  });
  if (!known) [ideal, boundBy] = [null, null];
  const best = ideal as number | null;
  const intensity = moved === null || (moved === 0 && amount === 0) ? null : amount / moved;
  const knee = compute && main ? compute.rate / main.rate : null;
  const ratio = intensity !== null && knee !== null ? intensity / knee : null;
  const taken = time !== null && time > 0 ? time : null;
  const achieved = taken === null ? null : amount / taken;
  const bandwidth = taken === null || moved === null ? null : moved / taken;
  const pct = best === null || taken === null ? null : (100 * best) / taken;
  const right = !inCache && (ratio === null ? amount > 0 && (moved === null || moved === 0) : ratio >= 1);
  const share = main && !inCache && bandwidth !== null ? (100 * bandwidth) / main.rate : pct;
  return {
    intensity,
    knee,
    ideal: best,
    attainable: best === null ? null : amount / best,
    class: best === null ? null : classOf(inCache ? null : ratio, right, limits),
    boundBy,
    achieved,
    bandwidth,
    pct,
    headroom: best === null || taken === null ? null : taken - best,
    flag: pct !== null && pct > 100 * (1 + 1e-9) ? flagOf(roof, achieved ?? 0, moved ?? 0) : null,
    status: pct === null ? "Error" : statusOf(right, pct, share ?? pct, limits),
  };
}

function classOf(ratio: number | null, right: boolean, limits: Limits): Class {
  const near =
    ratio !== null && limits.balanced > 1 && ratio >= 1 / limits.balanced && ratio <= limits.balanced;
  if (near) return "balanced";
  return right ? "compute-bound" : "memory-bound";
}

export function statusOf(right: boolean, pct: number, bandwidthPct: number, limits: Limits): Status {
  if (pct > limits.bound) return right ? "Compute Bound" : "Memory Bound";
  if (right && pct < limits.compute) return "Compute Inefficient";
  if (!right && bandwidthPct < limits.memory) return "Memory Inefficient";
  return "Normal";
}

function flagOf(roof: Roof, achieved: number, moved: number): Flag {
  if (roof.compute && achieved > roof.compute.rate) {
    const { sparse } = roof.compute;
    return sparse != null && achieved <= sparse ? "sparse" : "compute";
  }
  return roof.cache && moved <= roof.cache.bytes ? "cached" : "bandwidth";
}

/** What is likely the case with something above its roof. */
export const CAUSES: Record<Flag, string> = {
  sparse: "above the dense peak but within the sparse one: structured sparsity, or skipped operations are counted",
  compute:
    "more operations per second than the peak: skipped operations are counted, the time is too short, or the device or type is wrong",
  cached: "more bytes per second than memory bandwidth, and few enough to come from a cache",
  bandwidth:
    "more bytes per second than memory bandwidth: cached bytes are counted, the time is too short, or the device is wrong",
};
