// The roofs of the page against those of the Rust tests, hand calculation, and what the program says of random kernels.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assess, LIMITS, type Limits, type Roof, type Status } from "../../src/views/roofline/classify";
import { assessPoint, read } from "../../src/views/roofline/data";
import type { Document } from "../../src/source/document";

/** The roof of the tests in `roof.rs`: 10 000 GFLOP/s, 1000 GB/s, a cache of 1 MB at 4000 GB/s. */
const ROOF: Roof = {
  compute: { name: "fp32", rate: 1e13, sparse: 2e13 },
  levels: [
    { id: "hbm", name: "HBM", rate: 1e12 },
    { id: "l2", name: "L2", rate: 4e12 },
  ],
  cache: { name: "L2", bytes: 1e6 },
};

function check(amount: number, bytes: number, time: number | null, limits: Limits = LIMITS) {
  return assess(ROOF, amount, new Map([["hbm", bytes]]), time, limits);
}

describe("the vectors of crates/roofline/src/roof.rs", () => {
  test("left and right of the knee", () => {
    expect(check(1e9, 1e9, 1e-3)).toMatchObject({ intensity: 1, achieved: 1e12, class: "memory-bound", boundBy: "HBM", pct: 100, attainable: 1e12 });
    const right = check(1e11, 1e9, 10e-3);
    expect(right).toMatchObject({ intensity: 100, achieved: 1e13, class: "compute-bound", boundBy: "fp32", headroom: 0, status: "Compute Bound", knee: 10 });
  });
  test("near the knee is balanced unless switched off", () => {
    expect(check(1.1e10, 1e9, 1).class).toBe("balanced");
    expect(check(1.3e10, 1e9, 1).class).toBe("compute-bound");
    expect(check(1e10, 1e9, 1, { ...LIMITS, balanced: 1 }).class).toBe("compute-bound");
  });
  test("movement alone and arithmetic alone have a roof", () => {
    expect(check(0, 1e9, 2e-3)).toMatchObject({ class: "memory-bound", pct: 50, attainable: 0 });
    expect(check(1e10, 0, 2e-3)).toMatchObject({ class: "compute-bound", pct: 50, intensity: Infinity });
    expect(check(0, 0, 1)).toMatchObject({ ideal: null, status: "Error", intensity: null });
  });
  test("the slowest level bounds", () => {
    const one = assess(ROOF, 1e9, new Map([["hbm", 1e9], ["l2", 8e9]]), 4e-3, LIMITS);
    expect(one).toMatchObject({ boundBy: "L2", ideal: 2e-3, pct: 50, class: "memory-bound", status: "Normal" });
    const right = assess(ROOF, 1e11, new Map([["hbm", 1e9], ["l2", 80e9]]), 25e-3, LIMITS);
    expect(right).toMatchObject({ boundBy: "L2", class: "memory-bound", status: "Memory Bound", intensity: 100 });
  });
  test("above the roof is flagged with a cause", () => {
    expect(check(1.5e10, 1, 1e-3).flag).toBe("sparse");
    expect(check(3e10, 1, 1e-3).flag).toBe("compute");
    expect(check(0, 1e6, 0.5e-6).flag).toBe("cached");
    expect(check(0, 1e9, 0.5e-3).flag).toBe("bandwidth");
    expect(check(1e9, 1e9, 1e-3).flag).toBeNull();
  });
  test("an unknown peak leaves the best time unknown", () => {
    const without: Roof = { ...ROOF, compute: null };
    expect(assess(without, 1e9, new Map([["hbm", 1e9]]), 1, LIMITS)).toMatchObject({ ideal: null, class: null, status: "Error" });
    expect(assess(without, 0, new Map([["hbm", 1e9]]), 1e-3, LIMITS).pct).toBe(100);
  });
  test("zero and negative times give no rates", () => {
    for (const time of [0, -1, Number.NaN, null]) {
      expect(check(1e9, 1e9, time)).toMatchObject({ achieved: null, bandwidth: null, pct: null, status: "Error" });
    }
  });
});

/**
 * The rule of NPU dashboards, by hand. Peak 10 GFLOP in 1 ms, 1 GB in 1 ms; the knee is at 10. Right: 1e10 operations of
 * 1e8 bytes take 1 ms at best. Left: 1e9 bytes with 1e9 operations take 1 ms at best, all of the bandwidth.
 */
const TABLE: [amount: number, bytes: number, milliseconds: number, limits: Partial<Limits>, Status][] = [
  [1e10, 1e8, 1.25, {}, "Compute Bound"], // 80 %
  [1e10, 1e8, 1 / 0.7, {}, "Normal"], // 70 % is not above 70
  [1e10, 1e8, 2, {}, "Normal"], // 50 %
  [1e10, 1e8, 2.5, {}, "Normal"], // 40 % is not below 40
  [1e10, 1e8, 4, {}, "Compute Inefficient"], // 25 %
  [1e10, 1e8, 4, { compute: 20 }, "Normal"],
  [1e10, 1e8, 4, { memory: 0 }, "Compute Inefficient"], // the other threshold says nothing
  [1e10, 1e8, 2, { bound: 45 }, "Compute Bound"],
  [1e9, 1e9, 1.25, {}, "Memory Bound"],
  [1e9, 1e9, 2, {}, "Normal"],
  [1e9, 1e9, 4, {}, "Memory Inefficient"],
  [1e9, 1e9, 4, { memory: 25 }, "Normal"],
  [1e9, 1e9, 2, { memory: 60 }, "Memory Inefficient"],
  [1e9, 1e9, 4, { compute: 0 }, "Memory Inefficient"],
  [1e10, 1e9, 1.25, {}, "Compute Bound"], // on the knee is right of it
  [0, 1e9, 1.25, {}, "Memory Bound"], // a copy
  [1e10, 0, 4, {}, "Compute Inefficient"], // moves nothing
];

test.each(TABLE)("%d operations, %d bytes, %f ms, %o: %s", (amount, bytes, milliseconds, limits, status) => {
  expect(check(amount, bytes, milliseconds / 1e3, { ...LIMITS, ...limits }).status).toBe(status);
});

const PROGRAM = process.env.EAVES ?? join(import.meta.dirname, "../../../target/release/eaves");

/** A sequence of numbers that is the same every time (Park and Miller, 1988). */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state * 48271) % 2147483647;
    yield state / 2147483647;
  }
}

describe.skipIf(!existsSync(PROGRAM))("what the program says of random kernels", () => {
  const folder = mkdtempSync(join(tmpdir(), "eaves-page-"));
  const random = numbers(20260101);
  const draw = (low: number, high: number): number => 10 ** (low + (high - low) * (random.next().value as number));
  const kernels = Array.from({ length: 600 }, (_, index) => {
    const flops = index % 11 === 0 ? 0 : Math.round(draw(3, 13));
    const bytes = Math.round(draw(3, 10));
    const type = ["fp32", "bf16_tensor", "fp8_tensor"][index % 3];
    return `k${index},${flops},${bytes},${Math.round(draw(2, 8)) / 1e6},${type},${1 + (index % 7)}`;
  });
  writeFileSync(join(folder, "kernels.csv"), ["name,flops,dram_bytes,time_ms,dtype_key,calls", ...kernels].join("\n"));
  const run = (...options: string[]): Document =>
    JSON.parse(execFileSync(PROGRAM, ["roofline", join(folder, "kernels.csv"), "--device", "h100-sxm", "--json", "-q", ...options], { encoding: "utf8", maxBuffer: 1 << 28 })) as Document;

  test.each([
    [[], LIMITS],
    [["--bound-limit", "55", "--memory-threshold", "12", "--compute-threshold", "71", "--balanced", "3"], { bound: 55, memory: 12, compute: 71, balanced: 3 }],
  ] as [string[], Limits][])("limits %o", (options, limits) => {
    const data = read(run(...options));
    expect(data.points.length).toBeGreaterThan(350);
    const seen = new Set<string>();
    for (const point of data.points) {
      expect(point.adjustable, point.name).toBe(true);
      const found = assessPoint(point, data.memory, data.compute, limits);
      expect(found).toMatchObject({ class: point.class, boundBy: point.boundBy, status: point.status });
      expect((found?.pct ?? 0) / (point.pct ?? 0)).toBeCloseTo(1, 9);
      if (point.achieved) expect((found?.achieved ?? 0) / 1e9 / point.achieved).toBeCloseTo(1, 9);
      expect((found?.flag ?? null) !== null).toBe(point.flag !== null);
      seen.add(point.status);
    }
    expect(seen.size).toBe(5);
  });
});
