// What two runs ask the server for.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Source } from "../../src/source";
import { set } from "../../src/state";
import { type Data, decode } from "../../src/views/timeline/data";
import { Timeline } from "../../src/views/timeline/timeline";
import { payload } from "../payload";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  set("timeline.align", null);
});

/** A run with steps that begin at some times, of which short slices are in groups. */
function run(...starts: number[]): Data {
  const steps = starts.map((start, at): [number, number, number] => [at + 1, start, start + 100_000]);
  const bytes = payload(["a"], [4], [{ group: "g", name: "s", stream: true, rows: [[{ start: 0, duration: 5, name: 0 }]] }], [0, 1_000_000], steps);
  const data = decode(bytes.buffer as ArrayBuffer);
  return { ...data, head: { ...data.head, width: 1000 } };
}

test("windows are those of each run in its own time, wherever it is drawn", async () => {
  const asked: unknown[] = [];
  const source = { live: true, part: (_: string, { start, end }: Record<string, string>, of?: string) => (asked.push([of, Number(start), Number(end)]), Promise.resolve(null)) } as unknown as Source;
  set("timeline.align", "1");
  const timeline = new Timeline(run(100_000, 300_000), source, { data: run(150_000, 500_000), run: "7" });
  // The base is drawn earlier by the difference of the first steps, so the axis begins before 0.
  expect(timeline.viewport.whole).toEqual({ from: -50_000, to: 1_000_000 });
  timeline.viewport.width = 1000;
  timeline.start();
  timeline.viewport.set(200_000, 300_000);
  await vi.runAllTimersAsync();
  expect(asked.splice(0)).toEqual([[undefined, 150_000, 350_000], ["7", 200_000, 400_000]]);
  set("timeline.align", "2");
  await vi.runAllTimersAsync();
  expect(timeline.viewport.whole).toEqual({ from: -200_000, to: 1_000_000 });
  // The run itself stays where it is; nothing came of it, so it is asked for again.
  expect(asked).toEqual([[undefined, 150_000, 350_000], ["7", 350_000, 550_000]]);
  timeline.stop();
});

test("where ranks are drawn is found out once for a step, not for every move", () => {
  const data = run(100_000, 300_000);
  const [rank] = data.ranks;
  const steps = vi.fn(() => rank!.steps);
  const ranks = [Object.defineProperty({ ...rank! }, "steps", { get: steps })];
  const source = { live: true, part: () => Promise.resolve(null) } as unknown as Source;
  set("timeline.align", "1");
  const timeline = new Timeline({ ...data, ranks }, source);
  timeline.viewport.width = 1000;
  timeline.start();
  const before = steps.mock.calls.length;
  for (let from = 0; from < 10; from++) timeline.viewport.set(from, from + 100_000);
  expect(steps).toHaveBeenCalledTimes(before);
  set("timeline.align", "2");
  expect(steps).toHaveBeenCalledTimes(before + 1);
  timeline.stop();
});
