// `roofline_config.json`: one peak, one bandwidth and the thresholds, as NPU tools write them and `eaves roofline --config`
// reads them, with the rates of all roofs beside them where there are several.

import type { Adjustment } from "./adjust";
import { LIMITS, type Limits } from "./classify";
import type { Data } from "./data";

export interface Config {
  /** In 10^12 of what the peak counts per second. */
  peak_tops?: number;
  /** In GB/s. */
  mem_bw?: number;
  mem_thresh: number;
  comp_thresh: number;
  bound_thresh: number;
  balanced: number;
  peak_unit?: "ops" | "macs";
  /** `rate.NAME`: of each roof, in the unit of the table of roofs. Flat, so that it is one value for each key. */
  [rate: `rate.${string}`]: number;
}

const RATE = "rate.";

export type Parsed = { config: Config; defaults: string[] } | { error: string };

/** Reads a configuration. Missing keys get defaults, which are named; anything wrong is said and nothing is taken. */
export function parseConfig(text: string): Parsed {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { error: `not JSON (${error instanceof Error ? error.message : String(error)})` };
  }
  return checkConfig(json);
}

export function checkConfig(json: unknown): Parsed {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return { error: "not an object" };
  const given = json as Record<string, unknown>;
  const wrong: string[] = [];
  const defaults: string[] = [];
  const numberIn = (key: string, low: number, high: number, words: string): number | undefined => {
    const value = given[key];
    if (value === undefined) {
      defaults.push(key);
      return undefined;
    }
    if (typeof value === "number" && value >= low && value <= high && Number.isFinite(value)) return value;
    wrong.push(`\`${key}\` is no ${words}: ${JSON.stringify(value)}`);
    return undefined;
  };
  const rate = (key: string): number | undefined => numberIn(key, Number.MIN_VALUE, 1e12, "rate above 0");
  const share = (key: string): number | undefined => numberIn(key, 0, 100, "percentage");
  const config: Config = {
    mem_thresh: share("mem_thresh") ?? LIMITS.memory,
    comp_thresh: share("comp_thresh") ?? LIMITS.compute,
    bound_thresh: share("bound_thresh") ?? LIMITS.bound,
    balanced: numberIn("balanced", 1, 1e6, "factor of 1 or more") ?? LIMITS.balanced,
  };
  const [peak, bandwidth] = [rate("peak_tops"), rate("mem_bw")];
  if (peak !== undefined) config.peak_tops = peak;
  if (bandwidth !== undefined) config.mem_bw = bandwidth;
  const unit = given.peak_unit;
  if (unit === "ops" || unit === "macs") config.peak_unit = unit;
  else if (unit !== undefined) wrong.push(`\`peak_unit\` is neither ops nor macs: ${JSON.stringify(unit)}`);
  for (const key of Object.keys(given)) {
    const own = key.startsWith(RATE) ? rate(key) : undefined;
    if (own !== undefined) config[key as `rate.${string}`] = own;
  }
  return wrong.length ? { error: wrong.join("; ") } : { config, defaults };
}

/** What a configuration changes of a document. Its one peak holds for all types, as in the tools that write it. */
export function toAdjustment(config: Config, data: Data): Adjustment {
  const rates = new Map<string, number>();
  const main = data.memory[0];
  for (const roof of data.compute) {
    if (config.peak_tops === undefined) break;
    // Multiply-adds are two operations each.
    const counted = { ops: "flop", macs: "mac" }[config.peak_unit ?? "ops"];
    const factor = counted === roof.counts ? 1 : roof.counts === "mac" ? 0.5 : 2;
    rates.set(roof.name, config.peak_tops * 1e3 * factor);
  }
  if (main && config.mem_bw !== undefined) rates.set(main.name, config.mem_bw);
  for (const roof of [...data.memory, ...data.compute]) {
    const own = config[`rate.${roof.name}`];
    if (own !== undefined) rates.set(roof.name, own);
    if (rates.get(roof.name) === roof.rate) rates.delete(roof.name);
  }
  const limits: Partial<Limits> = {};
  if (config.bound_thresh !== LIMITS.bound) limits.bound = config.bound_thresh;
  if (config.comp_thresh !== LIMITS.compute) limits.compute = config.comp_thresh;
  if (config.mem_thresh !== LIMITS.memory) limits.memory = config.mem_thresh;
  if (config.balanced !== LIMITS.balanced) limits.balanced = config.balanced;
  return { rates, limits };
}

/** What is on the screen as a configuration: of several peaks, the one of most time is the one peak. */
export function toConfig(data: Data, limits: Limits): Config {
  const times = new Map<string, number>();
  for (const point of data.points) {
    if (point.ceiling) times.set(point.ceiling, (times.get(point.ceiling) ?? 0) + (point.time ?? 0));
  }
  const most = [...times].sort((a, b) => b[1] - a[1])[0]?.[0];
  const peak = data.compute.find((roof) => roof.name === most) ?? data.compute[0];
  const config: Config = {
    mem_thresh: limits.memory,
    comp_thresh: limits.compute,
    bound_thresh: limits.bound,
    balanced: limits.balanced,
  };
  if (peak) config.peak_tops = peak.rate / 1e3;
  if (peak?.counts === "mac") config.peak_unit = "macs";
  if (data.memory[0]) config.mem_bw = data.memory[0].rate;
  if (data.compute.length + data.memory.length > 2) for (const roof of [...data.memory, ...data.compute]) config[`rate.${roof.name}`] = roof.rate;
  return config;
}
