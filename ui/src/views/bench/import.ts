// Benchmark points from elsewhere, as the tools that write them do: every one is taken or refused with a reason.

import { amounts, bitsOf } from "./precision";
import type { BenchPoint } from "./points";

export interface Imported {
  accepted: BenchPoint[];
  rejected: { at: string; reason: string }[];
}

/** `4096x4096` is a matrix times a vector, `MxNxK` two matrices. */
export function shapeOf(text: string): [m: number, n: number, k: number] | null {
  const parts = text.toLowerCase().split(/[x×]/).map((part) => Number(part.trim()));
  if (!parts.every((part) => Number.isInteger(part) && part > 0)) return null;
  if (parts.length === 2) return [1, parts[0] ?? 0, parts[1] ?? 0];
  return parts.length === 3 ? [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0] : null;
}

function positive(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : null;
}

/** One record as a point, or why it is none. */
function pointOf(given: unknown): BenchPoint | string {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return "not an object";
  const record = given as Record<string, unknown>;
  const microseconds = positive(record.time_us) ?? (positive(record.latency_ms) ?? 0) * 1e3;
  if (!microseconds) return "`time_us` must be a number above 0";
  const precision = typeof record.precision === "string" ? record.precision : "";
  let intensity = positive(record.ai);
  let tflops = positive(record.tflops);
  for (const key of ["ai", "tflops", "bandwidth_gb_s"]) {
    if (record[key] !== undefined && record[key] !== null && positive(record[key]) === null) return `\`${key}\` must be a number above 0`;
  }
  const shape = typeof record.shape === "string" ? shapeOf(record.shape) : null;
  if (typeof record.shape === "string" && !shape) return `the shape \`${record.shape}\` is neither NxK nor MxNxK`;
  if ((intensity === null || tflops === null) && !shape) return "it needs `ai` and `tflops`, or a `shape`";
  if (shape && (intensity === null || tflops === null)) {
    const bits = bitsOf(precision);
    if (bits === null) return precision ? `unknown precision \`${precision}\`` : "a shape needs a `precision`";
    const { flops, bytes } = amounts(...shape, bits);
    intensity ??= flops / bytes;
    tflops ??= flops / microseconds / 1e6;
  }
  const label = typeof record.label === "string" && record.label ? record.label : typeof record.shape === "string" ? record.shape : "point";
  const bandwidth = positive(record.bandwidth_gb_s) ?? positive(record.memory_bw_gb_s);
  return {
    origin: "imported",
    name: label,
    precision,
    intensity: intensity ?? 0,
    gflops: (tflops ?? 0) * 1e3,
    gbps: bandwidth,
    time: microseconds * 1e3,
    boundBy: null,
    pct: null,
    interval: null,
    device: "imported",
    more: [],
  };
}

/** Reads a list, or an object with `points`, `simplified`, `rows` or `results`. */
export function importPoints(content: string): Imported {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch (error) {
    return { accepted: [], rejected: [{ at: "file", reason: `not JSON (${error instanceof Error ? error.message : String(error)})` }] };
  }
  const lists: [string, unknown[]][] = [];
  if (Array.isArray(json)) lists.push(["", json]);
  else if (typeof json === "object" && json !== null) {
    for (const key of ["points", "simplified", "rows", "results"]) {
      const list = (json as Record<string, unknown>)[key];
      if (Array.isArray(list)) lists.push([key, list]);
    }
  }
  if (!lists.length) return { accepted: [], rejected: [{ at: "file", reason: "neither a list nor an object with `points` or `simplified`" }] };
  const found: Imported = { accepted: [], rejected: [] };
  for (const [key, list] of lists) {
    list.forEach((one, index) => {
      const point = pointOf(one);
      if (typeof point === "string") found.rejected.push({ at: `${key}[${index}]`, reason: point });
      else found.accepted.push(point);
    });
  }
  return found;
}
