import { expect, test } from "vitest";
import { adjusted, moved, NONE, summary } from "../../src/views/roofline/adjust";
import { LIMITS } from "../../src/views/roofline/classify";
import { checkConfig, parseConfig, toAdjustment, toConfig } from "../../src/views/roofline/config";
import { cacheOf, placeOf, type Point, read, shapeOf, typeAndUnit } from "../../src/views/roofline/data";
import { crosses, overlap, place } from "../../src/views/roofline/labels";
import { radiusOf, shape } from "../../src/views/roofline/marks";
import { fit, near, nearest, next, scene, type Spec, type Spot } from "../../src/views/roofline/scene";
import { cut, sensible, spanOf, ticks, zoomed } from "../../src/views/roofline/scale";
import { npu } from "./roofline-documents";

test("ticks name powers of ten, and 2 and 5 where there is room", () => {
  const wide = ticks([0, 2], 600, 50).filter((tick) => tick.named);
  expect(wide.map((tick) => Math.round(tick.value))).toEqual([1, 2, 5, 10, 20, 50, 100]);
  const narrow = ticks([-3, 9], 300, 50).filter((tick) => tick.named);
  expect(narrow.map((tick) => Math.round(tick.log))).toEqual([-2, 0, 2, 4, 6, 8]);
  for (const [low, high, pixels] of [[-2.7, 4.1, 640], [0.11, 0.4, 500], [3, 30, 200]] as const) {
    const all = ticks([low, high], pixels, 46);
    expect(all.every((tick) => tick.log >= low && tick.log <= high)).toBe(true);
    expect(all.every((tick) => Math.abs(Math.log10(tick.value) - tick.log) < 1e-9)).toBe(true);
    const named = all.filter((tick) => tick.named);
    for (let index = 1; index < named.length; index += 1) {
      const apart = ((named[index]!.log - named[index - 1]!.log) * pixels) / (high - low);
      expect(apart).toBeGreaterThanOrEqual(46);
    }
  }
});

test("spans hold what is above zero, zooming keeps the place below the pointer", () => {
  expect(spanOf([0, -1, null, undefined, Infinity, 10, 1000], 0, 0, 0)).toEqual([1, 3]);
  expect(spanOf([100], 0, 0, 2)).toEqual([1, 3]);
  expect(spanOf([], 0, 0, 2)).toEqual([-1, 1]);
  const [low, high] = zoomed([0, 4], 0.5, 0.25);
  expect([low, high]).toEqual([0.5, 2.5]);
  expect(low + (high - low) * 0.25).toBe(1);
  expect(cut([0, 4], 0.75, 0.25)).toEqual([1, 3]);
  expect([sensible([0, 0.01]), sensible([0, 60]), sensible([Number.NaN, 1]), sensible([0, 3])]).toEqual([false, false, false, true]);
});

function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state * 48271) % 2147483647;
    yield state / 2147483647;
  }
}

test.each([3, 20, 80, 400])("names of %i random points never cover each other, a text or a foreign mark", (many) => {
  const random = numbers(many);
  const draw = (low: number, high: number): number => low + (high - low) * (random.next().value as number);
  const marks = Array.from({ length: many }, () => ({ x: draw(60, 740), y: draw(20, 480), radius: draw(2, 12) }));
  const texts = [[300, 200, 420, 213], [500, 40, 700, 53]] as const;
  const lines = [[60, 450, 500, 60]] as const;
  const wishes = marks.map((mark, index) => ({ index, ...mark, text: "x".repeat(5 + (index % 20)), width: 6 * (5 + (index % 20)) }));
  const bounds = [58, 8, 742, 492] as const;
  const placed = place(wishes, { texts, marks, lines, mayCover: 0 }, bounds);
  expect(placed.length).toBeGreaterThan(many < 100 ? Math.min(many, 12) * 0.6 : 3);
  placed.forEach((one, index) => {
    expect(one.box[0] >= bounds[0] && one.box[1] >= bounds[1] && one.box[2] <= bounds[2] && one.box[3] <= bounds[3]).toBe(true);
    expect(texts.some((text) => overlap(text, one.box))).toBe(false);
    for (const other of placed.slice(index + 1)) {
      expect(overlap(one.box, other.box)).toBe(false);
      expect(one.leader !== null && crosses(one.leader, other.box)).toBe(false);
      expect(other.leader !== null && crosses(other.leader, one.box)).toBe(false);
    }
    for (const mark of marks) {
      expect(overlap(one.box, [mark.x - mark.radius, mark.y - mark.radius, mark.x + mark.radius, mark.y + mark.radius])).toBe(false);
    }
  });
  expect(place(wishes, { texts, marks, lines, mayCover: 0 }, bounds, 2).length).toBeLessThanOrEqual(2);
});

test("a line through a box, beside it, and one that ends before it", () => {
  const box = [10, 10, 20, 20] as const;
  expect(crosses([0, 15, 30, 15], box)).toBe(true);
  expect(crosses([0, 0, 30, 30], box)).toBe(true);
  expect(crosses([0, 25, 30, 25], box)).toBe(false);
  expect(crosses([0, 15, 9, 15], box)).toBe(false);
});

test("marks of one radius have one area, which goes with time", () => {
  const area = (symbol: string): number => {
    const corners = [...shape(symbol, 10).matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
    return Math.abs(corners.reduce((sum, [x, y], index) => {
      const [nx, ny] = corners[(index + 1) % corners.length]!;
      return sum + x * ny - nx * y;
    }, 0)) / 2;
  };
  for (const symbol of ["square", "triangle-up", "pentagon", "diamond", "star", "cross", "x"]) expect(area(symbol) / (Math.PI * 100)).toBeCloseTo(1, 2);
  expect(radiusOf(0.16, 10) ** 2 / radiusOf(0.04, 10) ** 2).toBeCloseTo(4, 9);
});

test("a level is told by its name, a peak by type and units", () => {
  expect(["L2", "Infinity Cache", "L3", "LDS", "vL1D", "shared"].map(cacheOf)).toEqual(["l2", "llc", "llc", "lds", "l1", "lds"]);
  expect([typeAndUnit("bf16 matrix"), typeAndUnit("fp8_tensor"), typeAndUnit("any")]).toEqual([["bf16", "matrix"], ["fp8", "matrix"], ["any", ""]]);
});

const POINT: Point = {
  index: 0, name: "k", kind: "", dtype: "", calls: 1, flops: 0, macs: 0, bytes: null, time: 1, intensity: null, achieved: null, bandwidth: null, roof: null, pct: null, class: null,
  boundBy: null, delta: null, headroom: null, status: "Error", symbol: "circle", ideal: null, dataEfficiency: null, flag: null, record: null, shape: null, caches: {}, knee: null, ceiling: null, adjustable: false,
};

test("nothing is drawn at zero", () => {
  expect(placeOf({ ...POINT, intensity: 2, achieved: 5 }, "main")).toEqual({ at: "chart", x: 2, y: 5, guess: false });
  expect(placeOf({ ...POINT, intensity: 0, achieved: 0, bandwidth: 7 }, "main")).toEqual({ at: "copies", y: 7 });
  expect(placeOf({ ...POINT, intensity: null, achieved: 5, bandwidth: 0 }, "main")).toEqual({ at: "still", y: 5 });
  expect(placeOf({ ...POINT, intensity: 2, roof: 9 }, "main")).toEqual({ at: "chart", x: 2, y: 9, guess: true });
  expect(placeOf(POINT, "main")).toBeNull();
  const counted = { ...POINT, intensity: 2, achieved: 5, caches: { l2: { bytes: 1, intensity: 0.5 } } };
  expect(placeOf(counted, "l2")).toEqual({ at: "chart", x: 0.5, y: 5, guess: false });
  expect(placeOf(counted, "l1")).toBeNull();
});

test("a document with one peak is read", () => {
  const data = read(npu());
  expect(data).toMatchObject({ device: "npu", counts: "OP", time: 100 + 400 + 50 });
  expect([...data.used]).toEqual(["any"]);
  expect(data.points.map((point) => [point.ceiling, point.adjustable])).toEqual([["any", true], ["any", true], [null, true]]);
});

test("changed roofs change statuses at once, and nothing else", () => {
  const data = read(npu());
  expect(adjusted(data, NONE)).toBe(data);
  // Half of the peak: what was at 40 % of it is at 80 %.
  const half = adjusted(data, { rates: new Map([["any", 500]]), limits: {} });
  expect(half.points.map((point) => point.status)).toEqual(["Compute Bound", "Memory Bound", "Memory Inefficient"]);
  expect(half.points[0]).toMatchObject({ pct: 80, roof: 500, knee: 5, boundBy: "any", intensity: 100, achieved: 400 });
  expect(half.points[0]?.headroom).toBeCloseTo(20, 9);
  expect(half.compute[0]).toMatchObject({ rate: 500, knee: 5 });
  expect(moved(data.points, half.points)).toEqual({ count: 1, fixed: 0 });
  // A tenth of the bandwidth: the second would be ten times quicker than it can be.
  const slow = adjusted(data, { rates: new Map([["HBM", 10]]), limits: {} });
  expect(slow.points[1]).toMatchObject({ pct: 1000 * 0.8, status: "Memory Bound" });
  expect(slow.points[1]?.flag).toContain("more bytes per second than memory bandwidth");
  const strict = adjusted(data, { rates: new Map(), limits: { memory: 5 } });
  expect(strict.points.map((point) => point.status)).toEqual(["Normal", "Memory Bound", "Normal"]);
});

test("a configuration gets defaults for what it lacks, and is refused if anything is wrong", () => {
  expect(parseConfig('{"peak_tops": 32, "mem_bw": 50}')).toEqual({
    config: { peak_tops: 32, mem_bw: 50, mem_thresh: 40, comp_thresh: 40, bound_thresh: 70, balanced: 1.2 },
    defaults: ["mem_thresh", "comp_thresh", "bound_thresh", "balanced"],
  });
  expect(parseConfig("{")).toMatchObject({ error: expect.stringContaining("not JSON") });
  for (const wrong of ['{"mem_thresh": 400}', '{"peak_tops": "many"}', '{"mem_bw": 0}', '{"mem_bw": -3}', '{"peak_unit": "tops"}', '{"rate.HBM": null}', '{"rate.HBM": []}', '{"balanced": 0.5}', "[]", "null", "3"]) {
    expect(parseConfig(wrong), wrong).toMatchObject({ error: expect.any(String) });
  }
  expect(checkConfig({ mem_thresh: 400, comp_thresh: -1 })).toMatchObject({ error: expect.stringMatching(/mem_thresh.*comp_thresh/) });
});

test("a configuration survives a way there and back, and one peak holds for all types", () => {
  const data = read(npu());
  const changed = adjusted(data, { rates: new Map([["any", 500], ["HBM", 50]]), limits: { memory: 20 } });
  const saved = toConfig(changed, { ...LIMITS, memory: 20 });
  expect(saved).toEqual({ peak_tops: 0.5, mem_bw: 50, mem_thresh: 20, comp_thresh: 40, bound_thresh: 70, balanced: 1.2 });
  const parsed = parseConfig(JSON.stringify(saved));
  if ("error" in parsed) throw new Error(parsed.error);
  expect(toAdjustment(parsed.config, data)).toEqual({ rates: new Map([["any", 500], ["HBM", 50]]), limits: { memory: 20 } });
  const two = { ...data, compute: [data.compute[0]!, { ...data.compute[0]!, name: "fp16", rate: 2000 }] };
  expect(toAdjustment({ ...saved, mem_bw: 100, mem_thresh: 40 }, two).rates).toEqual(new Map([["any", 500], ["fp16", 500]]));
  // With several peaks each is saved by its name, and those win over the one peak.
  const several = toConfig(two, LIMITS);
  expect(several).toMatchObject({ peak_tops: 1, "rate.HBM": 100, "rate.any": 1000, "rate.fp16": 2000 });
  expect(toAdjustment(several, two).rates).toEqual(new Map());
  expect(toAdjustment({ ...several, "rate.fp16": 500 }, two).rates).toEqual(new Map([["fp16", 500]]));
  // Multiply-adds are two operations each.
  expect(toAdjustment({ ...saved, mem_bw: 100, peak_unit: "macs" }, data).rates).toEqual(new Map());
});

function spec(spots: Partial<Spot>[]): Spec {
  const whole = { x: 1, y: 1, radius: 5, symbol: "circle", fill: "full" as const, colour: "red", name: "n", weight: 1, ring: false, ideal: null };
  return {
    label: "", xName: "x", yName: "y", knee: "", xText: String, yText: String, gaps: true, plateaus: [{ rate: 1000, name: "peak", measured: false }],
    slopes: [{ rate: 100, name: "memory", main: true, measured: false }], spots: spots.map((one) => ({ ...whole, ...one })),
  };
}

test("roofs that no document states are dashed", () => {
  const made = spec([{ x: 1, y: 100 }]);
  const classes = (one: Spec): string[] => scene(one, fit(one), fit(one), 800, 500).lines.map((line) => line.class);
  expect(classes(made)).not.toContain("solid unverified");
  made.plateaus[0]!.unverified = true;
  expect(classes(made).filter((name) => name === "solid unverified")).toHaveLength(1);
  made.slopes[0]!.unverified = true;
  expect(classes(made).filter((name) => name === "solid unverified")).toHaveLength(2);
  // What was measured is, whatever was said of it before.
  made.plateaus[0]!.measured = true;
  expect(classes(made).filter((name) => name === "solid unverified")).toHaveLength(1);
});

test("a scene puts points where the axes say, in strips what has no place on them", () => {
  const made = spec([{ x: 1, y: 100 }, { x: 100, y: 1000 }, { x: null, y: 50, strip: "copies" }, { x: 10, y: 1, hidden: true }, { x: 10, y: 10, ideal: 40 }]);
  const whole = fit(made);
  expect(whole.band).not.toBeNull();
  const drawn = scene(made, whole, whole, 800, 500);
  const [first, second, copies, hidden] = drawn.at;
  expect(hidden).toBeNull();
  // Two decades to the right and one upwards, at one scale for each axis.
  const perDecade = (drawn.frame.right - drawn.frame.left) / (whole.x[1] - whole.x[0]);
  expect(second![0] - first![0]).toBeCloseTo(2 * perDecade, 6);
  expect(first![1] - second![1]).toBeCloseTo((drawn.frame.bottom - drawn.frame.top) / (whole.y[1] - whole.y[0]), 6);
  expect(copies![0]).toBeLessThan(drawn.frame.left);
  expect(drawn.lines.filter((line) => line.class === "waste")).toHaveLength(1);
  expect(nearest(drawn, made, first![0] + 3, first![1] - 2)).toBe(0);
  expect(nearest(drawn, made, first![0] + 60, first![1] - 60)).toBe(-1);
  expect(next(drawn, made, 0, 1, 0)).not.toBe(0);
  // A window beside everything shows nothing, and does not fail.
  expect(scene(made, { x: [8, 9], y: [8, 9] }, whole, 800, 500).at.filter(Boolean)).toHaveLength(1);
});

test("the summary follows the roofs that are changed", () => {
  const data = read(npu());
  const time = data.points.reduce((sum, point) => sum + (point.time ?? 0), 0);
  const headroom = data.points.reduce((sum, point) => sum + Math.max(0, point.headroom ?? 0), 0);
  expect(summary(data, time)).toEqual({ headroom_ns: headroom, assessed_pct: expect.any(Number), above_roof: 0 });
  // At 50 GB/s the product with 80 GB/s is above its roof, and has nothing left to gain.
  const slower = adjusted(data, { rates: new Map([["HBM", 50]]), limits: {} });
  const changed = summary(slower, time);
  expect(changed.above_roof).toBe(slower.points.filter((point) => point.flag !== null).length);
  expect(changed.above_roof).toBeGreaterThan(0);
  expect(changed.headroom_ns).toBeLessThan(headroom);
});

test("shapes are those of the tensors, as they were recorded", () => {
  expect(shapeOf("8192x16000 bf16, 16000x768 bf16")).toBe("8192×16000 · 16000×768");
  expect(shapeOf("16000 bf16, 8192x768 bf16, 768x16000 bf16, scalar, scalar; scalars -, -, -, 1, 1")).toBe("16000 · 8192×768 · 768×16000");
  expect(shapeOf('{"type":"ID_MM","input_mat1":[1,8,512,64],"input_mat2":[1,8,64,512],"time_ns":61000}')).toBe("1×8×512×64 · 1×8×64×512");
  for (const none of ["", "scalar", "64,1,112", '{"op": "conv"}', "{broken"]) expect(shapeOf(none)).toBeNull();
});

test("one point far off does not stretch the axis, many do", () => {
  const around = Array.from({ length: 40 }, (_, at) => 1 + at / 10);
  expect(near([...around, 1e-5]).length).toBe(40);
  expect(near([1e9, ...around, null, 0]).length).toBe(40);
  expect(near([...around, 0.5])).toContain(0.5);
  const half = [...around, ...around.map((one) => one / 1e4)];
  expect(near(half).length).toBe(80);
  expect(near([1e-5, 1, 2])).toEqual([1e-5, 1, 2]);
});
