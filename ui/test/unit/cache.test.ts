// What is kept of a source, and when it is read anew.

import { h, render } from "preact";
import { expect, test, vi } from "vitest";
import { check } from "../../src/live";
import type { Source } from "../../src/source";
import { Cache, generation } from "../../src/source/cache";
import { flame } from "../../src/views/flame";
import { load as loadFlame } from "../../src/views/flame/load";
import { timeline } from "../../src/views/timeline";
import { load as loadTimeline } from "../../src/views/timeline/load";

const SOURCE = {} as Source;

test("the items that were wanted last are kept", async () => {
  const cache = new Cache<string>(2);
  const made: string[] = [];
  const get = (key: string) => cache.get(SOURCE, key, () => (made.push(key), Promise.resolve(key)));
  for (const key of ["a", "b", "a", "c", "a", "b"]) expect(await get(key)).toBe(key);
  expect(made).toEqual(["a", "b", "c", "b"]);
});

test("what could not be made is made again", async () => {
  const cache = new Cache<string>(2);
  await expect(cache.get(SOURCE, "a", () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  expect(await cache.get(SOURCE, "a", () => Promise.resolve("there"))).toBe("there");
});

test("timelines and flame graphs are read anew once a run has changed, or if they could not be read", async () => {
  const asked: string[] = [];
  let isThere = false;
  const part = (name: string, _: unknown, of = "shown") => (asked.push(`${name} of ${of}`), isThere ? Promise.resolve(null) : Promise.reject(new Error("gone")));
  const source = { live: true, part } as unknown as Source;
  const all = () => Promise.allSettled([loadTimeline(source), loadTimeline(source, "7"), loadFlame(source, 0, [1, 2]), loadFlame(source, null, null, "7")]);
  const once = ["timeline of shown", "timeline of 7", "flame of shown", "flame of shown"];
  await all();
  expect(asked.splice(0)).toEqual(once);
  isThere = true;
  await all();
  expect(asked.splice(0)).toEqual(once);
  await all();
  expect(asked).toEqual([]);
  generation.value++;
  await all();
  expect(asked).toEqual(once);
});

test.for([timeline, flame])("the view $id that is open reads it anew", async (view) => {
  const part = vi.fn(() => Promise.resolve(null));
  const source = { live: true, part, ask: () => Promise.resolve([]) } as unknown as Source;
  const root = document.createElement("div");
  render(h(view.Component, { source, document: check({ schema: "eaves.report/1" }) }), root);
  await vi.waitFor(() => expect(root.textContent).toContain("This report contains no"));
  expect(part).toHaveBeenCalledTimes(1);
  generation.value++;
  await vi.waitFor(() => expect(part).toHaveBeenCalledTimes(2));
  render(null, root);
});
