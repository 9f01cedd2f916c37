import { expect, test } from "vitest";
import { ceiling, type Gpu, lines, path, type Sample } from "../../src/views/live/lines";

const gpu = (power: number | null): Gpu => ({ name: "H100", utilisation_pct: 50, memory_used_bytes: 3, memory_total_bytes: 8, power_w: power, power_limit_w: 700, temperature_c: null, clock_mhz: 1980, memory_clock_mhz: null });
const sample = (cpu: number | null, gpus: Gpu[] = []): Sample => ({ time_ms: 0, cpu: cpu === null ? null : { total_pct: cpu, cores_pct: [cpu] }, memory: { total_bytes: 100, available_bytes: 30 }, load: [0.5, 1, 2], gpus });

test("lines are what was told, and nothing else", () => {
  expect(lines([])).toEqual([]);
  const found = lines([sample(null), sample(40)]);
  expect(found.map((line) => [line.title, line.values, line.most])).toEqual([["CPU", [null, 40], 100], ["Memory in use", [70, 70], 100], ["Load, 1 minute", [0.5, 0.5], null]]);
  const withGpus = lines([sample(1, [gpu(100), gpu(null)]), sample(1, [gpu(300), gpu(null)])]);
  expect(withGpus.filter((line) => line.title === "Power").map((line) => [line.group, line.values, line.most])).toEqual([["GPU 0: H100", [100, 300], 700]]);
  expect(withGpus.filter((line) => line.group === "GPU 1: H100").map((line) => line.title)).toEqual(["Utilisation", "Memory in use", "Clock"]);
});

test("a path ends at the right and has gaps where nothing was told", () => {
  const line = { group: "", title: "", unit: "%" as const, values: [0, null, 100, 50], most: 100 };
  // Five samples of room over 40 pixels: ten each, the last at 40.
  expect(path(line, 5, 40, 20)).toBe("M10.0 20.0M30.0 0.0L40.0 10.0");
  expect(ceiling(line)).toBe(100);
  expect(ceiling({ ...line, most: null })).toBeCloseTo(110);
  expect(ceiling({ ...line, values: [120] })).toBe(120);
  expect(ceiling({ ...line, values: [null], most: null })).toBe(1);
});
