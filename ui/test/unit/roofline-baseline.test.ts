import { expect, test } from "vitest";
import { change, changeText, matched, trails } from "../../src/views/roofline/baseline";
import { type Data, type Point, read } from "../../src/views/roofline/data";
import { fit, scene, type Spec } from "../../src/views/roofline/scene";
import { npu } from "./roofline-documents";

const data = read(npu());
const like = (name: string, flops: number, more: Partial<Point> = {}): Point => ({ ...data.points[0]!, name, flops, macs: null, bytes: 8, ...more });

test("points that do the same work are the same, then those of a name in order of their work", () => {
  const now = [like("a", 1), like("a", 2), like("b", 10), like("b", 20), like("c", 1), like("only", 1)];
  const before = [like("b", 11), like("a", 2, { time: 7 }), like("b", 9), like("a", 1, { time: 8 }), like("c", 5), like("c", 6), like("gone", 1)];
  const found = matched(now, before);
  expect(found.map((one) => (one ? before.indexOf(one) : null))).toEqual([3, 1, 2, 0, null, null]);
  // No point is taken twice.
  const taken = found.filter(Boolean);
  expect(new Set(taken).size).toBe(taken.length);
  expect(matched(data.points, data.points)).toEqual(data.points);
});

test("a change is that of one call, in percent of before", () => {
  const [conv] = data.points as [Point];
  expect(change({ ...conv, time: 300, calls: 2 }, { ...conv, time: 100, calls: 1 })).toBeCloseTo(50);
  expect(changeText({ ...conv, time: 50 }, { ...conv, time: 100 })).toBe("-50%");
  expect(changeText({ ...conv, time: 101 }, { ...conv, time: 100 })).toBe("+1.0%");
  expect(change({ ...conv, time: null }, conv)).toBeNull();
});

test("an arrow goes from where a point was to where it is, and nothing has one that stayed", () => {
  const moved: Data = { ...data, points: data.points.map((point) => (point.name === "conv" ? { ...point, achieved: 100, time: 400 } : point)) };
  const found = trails(data, matched(data.points, moved.points), "main");
  // A copy has no place on the chart.
  expect(found).toEqual([{ x: 100, y: 100, text: "-75%" }, { x: 1, y: 80, text: "0.0%" }, null]);
  const spots = data.points.slice(0, 2).map((point) => ({ x: point.intensity, y: point.achieved!, radius: 4, symbol: "circle", fill: "full" as const, colour: "c1", name: point.name, weight: 1, ring: false, ideal: null }));
  const spec: Spec = { label: "", xName: "", yName: "", knee: "", xText: String, yText: String, spots, slopes: [], plateaus: [], gaps: false, before: found };
  const whole = fit(spec);
  const drawn = scene(spec, whole, whole, 800, 500);
  expect(drawn.lines.filter((line) => line.class === "moved").length).toBe(1);
  expect(drawn.texts.filter((text) => text.text === "-75%").map((text) => text.class)).toEqual(["halo better"]);
  // What was there is in the window.
  expect(10 ** whole.y[0]).toBeLessThan(80);
});
