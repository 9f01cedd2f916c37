// Documents for tests of the roofline, with numbers that can be checked by hand.

import type { Document, Value } from "../../src/source/document";
import { documentWith } from "./documents";

/** A document with one section; columns by name. */
export function documentOf(id: string, numbers: Record<string, Value>, tables: Record<string, Record<string, Value>[]>): Document {
  return documentWith([
    {
      id,
      title: id,
      findings: [],
      numbers: Object.entries(numbers).map(([key, value]) => ({ id: key, value, provenance: "formula" as const })),
      tables: Object.entries(tables).map(([key, rows]) => {
        const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
        return { id: key, columns: columns.map((column) => ({ id: column })), rows: rows.map((row) => columns.map((column) => row[column] ?? null)) };
      }),
    },
  ]);
}

/** A device of 1000 GFLOP/s and 100 GB/s: the knee is at 10. Times are in nanoseconds, so that GFLOP/s are FLOP/ns. */
export function npu(): Document {
  return documentOf(
    "roofline",
    { device: "npu" },
    {
      points: [
        // 40 000 FLOP in 100 ns are 400 GFLOP/s of 1000: 40 %, which is not below 40.
        { name: "conv", kind: "ID_CONV", dtype: "INT8", calls: 1, flops: 40000, macs: 20000, bytes: 400, time_ns: 100, intensity: 100, achieved_gflops: 400, achieved_gbps: 4, roof_gflops: 1000, pct_of_roof: 40, class: "compute-bound", bound_by: "any", delta_log10_oi_to_knee: 1, headroom_ns: 60, status: "Normal", symbol: "square" },
        // 2 calls of 16 000 bytes in 400 ns are 80 GB/s of 100.
        { name: "mm", kind: "ID_MM", dtype: "INT8", calls: 2, flops: 16000, macs: 8000, bytes: 16000, time_ns: 400, intensity: 1, achieved_gflops: 80, achieved_gbps: 80, roof_gflops: 100, pct_of_roof: 80, class: "memory-bound", bound_by: "HBM", delta_log10_oi_to_knee: -1, headroom_ns: 80, status: "Memory Bound", symbol: "circle" },
        // A copy of 500 bytes in 50 ns is 10 GB/s of 100.
        { name: "copy", kind: "ID_COPY", dtype: "INT8", calls: 1, flops: 0, macs: 0, bytes: 500, time_ns: 50, intensity: 0, achieved_gflops: 0, achieved_gbps: 10, roof_gflops: 0, pct_of_roof: 10, class: "memory-bound", bound_by: "HBM", headroom_ns: 45, status: "Memory Inefficient", symbol: "diamond" },
      ],
      roofs: [
        { name: "HBM", kind: "memory", rate: 100, counts: "byte", knee: null, source: "made", confidence: "low" },
        { name: "any", kind: "compute", rate: 1000, counts: "flop", knee: 10, source: "made", confidence: "low" },
      ],
      unmodelled: [],
    },
  );
}
