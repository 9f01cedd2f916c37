import { expect, test } from "vitest";
import { importPoints, shapeOf } from "../../src/views/bench/import";
import { type BenchPoint, measured, predicted, predictionOf, unsupported } from "../../src/views/bench/points";
import { amounts, baseName, bitsOf, colourOf, valuesOf } from "../../src/views/bench/precision";
import { measuredRoofs, peaksFor, plateaus, roofsOf } from "../../src/views/bench/roofs";
import { documentOf } from "./roofline-documents";

const float = (bits: number, exponent_bits: number, mantissa_bits: number, largest: number) => ({ element_bits: bits, exponent_bits, mantissa_bits, largest, family: "float" as const });

/** OCP 8-bit Floating Point 1.0, table 1; OCP Microscaling Formats 1.0, tables 2 and 3. */
test("values of narrow floats are those of their specifications", () => {
  expect(valuesOf(float(4, 2, 1, 6))).toEqual([0, 0.5, 1, 1.5, 2, 3, 4, 6]);
  const e4m3 = valuesOf(float(8, 4, 3, 448));
  expect([e4m3.length, e4m3[1], e4m3[7], e4m3[8], e4m3.at(-1)]).toEqual([127, 2 ** -9, 0.875 * 2 ** -6, 2 ** -6, 448]);
  const e5m2 = valuesOf(float(8, 5, 2, 57344));
  expect([e5m2.length, e5m2[1], e5m2[4], e5m2.at(-1)]).toEqual([124, 2 ** -16, 2 ** -14, 57344]);
  const e3m2 = valuesOf(float(6, 3, 2, 28));
  expect([e3m2.length, e3m2[1], e3m2.at(-1)]).toEqual([32, 0.0625, 28]);
  const e2m3 = valuesOf(float(6, 2, 3, 7.5));
  expect([e2m3.length, e2m3[1], e2m3.at(-1)]).toEqual([32, 0.125, 7.5]);
  expect(valuesOf({ element_bits: 4, exponent_bits: 0, mantissa_bits: 3, largest: 7, family: "integer" })).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(valuesOf(float(16, 5, 10, 65504))).toEqual([]);
});

test("colours and bits go by the weights", () => {
  expect([baseName("INT8/int8"), baseName("int4@128:fp16"), baseName("FP8")]).toEqual(["int8", "int4", "fp8_e4m3"]);
  expect([colourOf("FP16"), colourOf("nvfp4/int8"), colourOf("constructor")]).toEqual(["#f97316", "#a855f7", "c8"]);
  expect([bitsOf("mxfp4"), bitsOf("nvfp4"), bitsOf("toString"), bitsOf("posit16")]).toEqual([4.25, 4.5, null, null]);
});

/** 4096 x 4096 by a vector in FP16: 2 N K operations; N K weights, K inputs and N outputs of two bytes. */
test("a product has the operations and bytes of its shape", () => {
  expect(amounts(1, 4096, 4096, 16)).toEqual({ flops: 33554432, bytes: 2 * (4096 * 4096 + 4096 + 4096) });
  // Narrow operands, results of 16 bits.
  expect(amounts(2, 3, 4, 4)).toEqual({ flops: 48, bytes: (8 + 12) / 2 + 2 * 6 });
  expect(amounts(2, 3, 4, 64).bytes).toBe(8 * (8 + 12 + 6));
});

test("points are imported or refused with a reason", () => {
  const found = importPoints(
    JSON.stringify({
      simplified: [
        { shape: "4096x4096", precision: "FP16", time_us: 203.4 },
        { shape: "4096x", precision: "FP16", time_us: 1 },
        { shape: "8x8", precision: "posit16", time_us: 1 },
        { shape: "8x8", time_us: 1 },
        { shape: "8x8", precision: "fp16", time_us: -1 },
        7,
      ],
      points: [
        { ai: 2, tflops: 3, time_us: 4, label: "mine" },
        { ai: 0, tflops: 3, time_us: 4 },
        { tflops: 3, time_us: 4 },
      ],
    }),
  );
  expect(found.accepted.map((point) => [point.name, point.intensity, point.gflops, point.time])).toEqual([
    ["mine", 2, 3000, 4000],
    ["4096x4096", 33554432 / 33570816, 33554432 / 203.4 / 1e3, 203400],
  ]);
  expect(found.rejected.map(({ at, reason }) => `${at} ${reason}`)).toEqual([
    "points[1] `ai` must be a number above 0",
    "points[2] it needs `ai` and `tflops`, or a `shape`",
    "simplified[1] the shape `4096x` is neither NxK nor MxNxK",
    "simplified[2] unknown precision `posit16`",
    "simplified[3] a shape needs a `precision`",
    "simplified[4] `time_us` must be a number above 0",
    "simplified[5] not an object",
  ]);
  for (const wrong of ["{", "3", "null", "{}", '{"points": 3}']) expect(importPoints(wrong).rejected, wrong).toHaveLength(1);
  expect([shapeOf("2x3"), shapeOf("2×3x4"), shapeOf("0x3"), shapeOf("2.5x3"), shapeOf("2")]).toEqual([[1, 2, 3], [2, 3, 4], null, null, null]);
});

test("predictions and measurements become points, rows without a number do not", () => {
  const prediction = documentOf("predict", { device: "D" }, {
    predictions: [
      { op: "gemm 2x2x2", precision: "fp16", flops: 16, bytes: 8, intensity: 2, time_ns: 4, bound_by: "HBM", calls: 1, roof_gflops: 4 },
      { op: "embedding", precision: "fp16", flops: 0, bytes: 8, intensity: 0, time_ns: 4, bound_by: "HBM", calls: 1, roof_gflops: 0 },
    ],
    unsupported: [{ op: "gemm 2x2x2", precision: "fp4", reason: "no units" }],
  });
  expect(predicted(prediction)).toMatchObject([{ origin: "predicted", name: "gemm 2x2x2", intensity: 2, gflops: 4, gbps: 2, time: 4, device: "D" }]);
  expect(unsupported(prediction)).toEqual([{ op: "gemm 2x2x2", precision: "fp4", reason: "no units" }]);
  const measurement = documentOf("bench", { device: "CPU" }, {
    results: [
      { name: "gemv 1x4x4", precision: "int8", flops: 32, bytes: 16, gflops: 8, gbps: 4, time_ns: 4, pct_of_roof: 50, interval_pct: 1, state: "cold" },
      { name: "gemv 1x4x4", precision: "fp32", flops: 32, bytes: 64, gflops: null, time_ns: null },
    ],
  });
  expect(measured(measurement)).toMatchObject([{ origin: "measured", intensity: 2, gflops: 8, gbps: 4, pct: 50, device: "CPU", more: [["state", "cold"]] }]);
});

test("roofs of a device are dense peaks and its first memory", () => {
  const device = documentOf("devices", {}, {
    properties: [{ property: "name", text: "Made" }],
    peaks: [
      { peak: "fp32_vector", kind: "dense", rate_gflops: 100 },
      { peak: "fp16_matrix", kind: "dense", rate_gflops: 800 },
      { peak: "fp16_matrix", kind: "sparse", rate_gflops: 1600 },
      { peak: "bf16_matrix", kind: "dense", rate_gflops: 800 },
      { peak: "fp16_vector", kind: "dense", rate_gflops: 200 },
    ],
    memory: [{ name: "L2", bandwidth_gbps: null }, { name: "HBM", bandwidth_gbps: 50 }],
  });
  const roofs = roofsOf(device);
  expect(roofs.slopes).toEqual([{ rate: 50, main: true, measured: false, name: "HBM 50 GB/s" }]);
  expect([...roofs.peaks]).toEqual([["fp32 vector", 100], ["fp16 matrix", 800], ["bf16 matrix", 800], ["fp16 vector", 200]]);
  expect(peaksFor(roofs, ["fp16", "fp8_e4m3"], ["fp32 vector", "HBM", null])).toEqual(new Set(["fp32 vector", "fp16 matrix"]));
  expect(plateaus(roofs, new Set(["fp16 matrix", "bf16 matrix"]))).toEqual([{ rate: 800, measured: false, name: "fp16 matrix / bf16 matrix 800 GFLOP/s" }]);
  const here = measuredRoofs(documentOf("measured-roofs", {}, { roofs: [{ name: "L1", kind: "memory", all: 900 }, { name: "DRAM", kind: "memory", all: 30, one_core: 10 }, { name: "fp32_vector", kind: "arithmetic", all: null, one_core: 70 }] }));
  expect(here.slopes.map((slope) => [slope.rate, slope.main])).toEqual([[900, false], [30, true]]);
  expect([...here.peaks]).toEqual([["fp32 vector", 70]]);
});

test("a measurement finds the prediction of its shape and weights", () => {
  const point = (origin: BenchPoint["origin"], name: string, precision: string): BenchPoint => ({ origin, name, precision, intensity: 1, gflops: 1, gbps: null, time: 1, boundBy: null, pct: null, interval: null, device: "", more: [] });
  const all = [point("predicted", "gemv 64x32", "int8"), point("predicted", "gemm 2x64x32", "int8"), point("predicted", "gemm 2x64x32", "fp16"), point("measured", "gemm 2x64x32", "fp16")];
  expect(predictionOf(point("measured", "gemv 1x64x32", "INT8/int8"), all)).toBe(all[0]);
  expect(predictionOf(point("imported", "2x64x32", "fp16"), all)).toBe(all[2]);
  expect(predictionOf(point("measured", "gemm 2x64x64", "fp16"), all)).toBeUndefined();
  expect(predictionOf(all[0]!, all)).toBeUndefined();
});
