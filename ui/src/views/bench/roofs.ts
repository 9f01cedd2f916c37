// The roofs below which points of the bench are drawn: those of a device of the catalogue, or those that were measured here.

import { type Document, rows } from "../../source/document";
import type { Plateau, Slope } from "../roofline/scene";
import { withUnit } from "../roofline/text";

export interface Roofs {
  device: string;
  slopes: Slope[];
  /** Rates in GFLOP/s by the name predictions know them by: `fp16 matrix`. */
  peaks: Map<string, number>;
  measured: boolean;
}

export const NO_ROOFS: Roofs = { device: "", slopes: [], peaks: new Map(), measured: false };

/** From `device show --json`: dense peaks, and main memory. */
export function roofsOf(document: Document): Roofs {
  const peaks = new Map<string, number>();
  for (const row of rows(document, "devices", "peaks")) {
    if (row.kind === "dense" && typeof row.rate_gflops === "number" && typeof row.peak === "string") peaks.set(row.peak.replace("_", " "), row.rate_gflops);
  }
  const memory = rows(document, "devices", "memory").find((row) => typeof row.bandwidth_gbps === "number");
  const name = rows(document, "devices", "properties").find((row) => row.property === "name")?.text;
  const rate = typeof memory?.bandwidth_gbps === "number" ? memory.bandwidth_gbps : 0;
  const slopes = rate > 0 ? [{ rate, main: true, measured: false, name: `${String(memory?.name ?? "memory")} ${withUnit(rate * 1e9, "B/s")}` }] : [];
  return { device: typeof name === "string" ? name : "", slopes, peaks, measured: false };
}

/** From the section `measured-roofs` of a document, if it has one. */
export function measuredRoofs(document: Document): Roofs {
  const found: Roofs = { device: "", slopes: [], peaks: new Map(), measured: true };
  for (const row of rows(document, "measured-roofs", "roofs")) {
    const rate = typeof row.all === "number" ? row.all : typeof row.one_core === "number" ? row.one_core : 0;
    if (rate <= 0) continue;
    const name = String(row.name ?? "");
    if (row.kind === "memory") found.slopes.push({ rate, measured: true, main: false, name: `${name} ${withUnit(rate * 1e9, "B/s")}, measured` });
    else if (row.kind === "arithmetic") found.peaks.set(name.replace("_", " "), rate);
  }
  // Main memory is the slowest.
  const main = found.slopes.reduce<Slope | null>((least, slope) => (least && least.rate <= slope.rate ? least : slope), null);
  if (main) main.main = true;
  return found;
}

/** The peaks that some point is held against, by name; one line for each rate. */
export function plateaus(roofs: Roofs, names: ReadonlySet<string>): Plateau[] {
  const byRate = new Map<number, string[]>();
  for (const [name, rate] of roofs.peaks) {
    if (names.has(name)) byRate.set(rate, [...(byRate.get(rate) ?? []), name]);
  }
  return [...byRate].map(([rate, all]) => ({ rate, measured: roofs.measured, name: `${all.join(" / ")} ${withUnit(rate * 1e9, "FLOP/s")}` }));
}

/** The names of peaks for precisions: `fp8_e4m3` is computed by `fp8 matrix`, narrow weights by what they are widened to. */
export function peaksFor(roofs: Roofs, precisions: Iterable<string>, boundBy: Iterable<string | null>): Set<string> {
  const wanted = new Set<string>();
  for (const name of boundBy) if (name !== null && roofs.peaks.has(name)) wanted.add(name);
  for (const precision of precisions) {
    const type = precision.toLowerCase().split(/[_/@]/)[0] ?? "";
    const own = [...roofs.peaks.keys()].filter((name) => name.split(" ")[0] === type);
    const best = own.find((name) => name.endsWith("matrix")) ?? own[0];
    if (best) wanted.add(best);
  }
  return wanted;
}
