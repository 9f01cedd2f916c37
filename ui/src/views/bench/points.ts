// Points of the bench: predictions, measurements and imports in one form.

import { type Document, type Row, rows } from "../../source/document";
import { baseName, colourOf } from "./precision";

export type Origin = "predicted" | "measured" | "imported";

export interface BenchPoint {
  origin: Origin;
  name: string;
  precision: string;
  /** FLOP per byte. */
  intensity: number;
  gflops: number;
  gbps: number | null;
  time: number;
  boundBy: string | null;
  /** Percent of the roof, if it was held against one. */
  pct: number | null;
  /** How sure a measurement is, in percent. */
  interval: number | null;
  /** What it ran on, or what it was predicted for. */
  device: string;
  /** Other facts, for the tooltip. */
  more: readonly (readonly [string, string])[];
}

function number(row: Row, id: string): number | null {
  const value = row[id];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function text(row: Row, id: string): string {
  const value = row[id];
  return typeof value === "string" ? value : "";
}

function deviceOf(document: Document, section: string): string {
  const value = document.sections.find((one) => one.id === section)?.numbers.find((one) => one.id === "device")?.value;
  return typeof value === "string" ? value : "";
}

/** Predictions of `eaves.predict/1`: each stands at its roof, where it could be at best. */
export function predicted(document: Document): BenchPoint[] {
  const device = deviceOf(document, "predict");
  return rows(document, "predict", "predictions").flatMap((row) => {
    const [intensity, gflops, time] = [number(row, "intensity"), number(row, "roof_gflops"), number(row, "time_ns")];
    if (intensity === null || gflops === null || time === null || intensity <= 0 || gflops <= 0) return [];
    const moved = number(row, "bytes");
    const calls = number(row, "calls") ?? 1;
    return [
      {
        origin: "predicted" as const,
        name: text(row, "op"),
        precision: text(row, "precision"),
        intensity,
        gflops,
        gbps: moved === null ? null : (moved * calls) / time,
        time,
        boundBy: text(row, "bound_by") || null,
        pct: null,
        interval: null,
        device,
        more: [["Class", text(row, "class")] as const].filter(([, value]) => value),
      },
    ];
  });
}

/** What a device cannot compute in, with the reason. */
export function unsupported(document: Document): { op: string; precision: string; reason: string }[] {
  return rows(document, "predict", "unsupported").map((row) => ({ op: text(row, "op"), precision: text(row, "precision"), reason: text(row, "reason") }));
}

/** Measurements of `eaves.bench/1`. A row without a number (contaminated, or a broken limit) is no point. */
export function measured(document: Document): BenchPoint[] {
  const device = deviceOf(document, "bench");
  return rows(document, "bench", "results").flatMap((row) => {
    const [flops, moved, gflops, time] = [number(row, "flops"), number(row, "bytes"), number(row, "gflops"), number(row, "time_ns")];
    if (!flops || !moved || !gflops || !time) return [];
    return [
      {
        origin: "measured" as const,
        name: text(row, "name"),
        precision: text(row, "precision"),
        intensity: flops / moved,
        gflops,
        gbps: number(row, "gbps"),
        time,
        boundBy: text(row, "bound_by") || null,
        pct: number(row, "pct_of_roof"),
        interval: number(row, "interval_pct"),
        device,
        more: (["state", "implementation", "backend", "threads", "clean", "samples"] as const).flatMap((id) => {
          const value = row[id];
          return value === null || value === undefined ? [] : [[id, String(value)] as const];
        }),
      },
    ];
  });
}

export function colour(point: BenchPoint): string {
  return colourOf(point.precision);
}

function extents(name: string): string[] {
  const found = /\d+(?:x\d+)+/.exec(name)?.[0].split("x") ?? [name];
  // A matrix times a vector is a product of one row.
  return found.length === 2 ? ["1", ...found] : found;
}

/** The prediction of what was measured or imported: the same shape with weights of the same precision. */
export function predictionOf(point: BenchPoint, all: readonly BenchPoint[]): BenchPoint | undefined {
  if (point.origin === "predicted") return undefined;
  const [shape, weights] = [extents(point.name).join("x"), baseName(point.precision)];
  return all.find((one) => one.origin === "predicted" && baseName(one.precision) === weights && extents(one.name).join("x") === shape);
}
