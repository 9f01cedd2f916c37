import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Source } from "../../src/source";
import { decode } from "../../src/views/timeline/data";
import { Slices } from "../../src/views/timeline/relations";
import { Search } from "../../src/views/timeline/search";
import { coarseness, Windows } from "../../src/views/timeline/windows";
import { payload } from "../payload";

/** A payload of a window in which what is shorter than `width` may be in groups. */
function slices(range: [number, number], width: number): Slices {
  const bytes = payload(["a"], [4], [{ group: "g", name: "s", stream: true, rows: [[{ start: range[0], duration: 5, name: 0 }]] }], [0, 1_000_000]);
  const data = decode(bytes.buffer as ArrayBuffer);
  return new Slices({ ...data, head: { ...data.head, range, width } });
}

/** A server that writes windows of single slices, and what it was asked for. */
function server(live = true) {
  const asked: Record<string, string>[] = [];
  const source = {
    live,
    part: (_name: string, query: Record<string, string> = {}) => {
      asked.push(query);
      const [start, end] = [Number(query.start), Number(query.end)];
      const width = Math.floor((end - start) / Number(query.pixels));
      const bytes = payload(["a"], [4], [{ group: "g", name: "s", stream: true, rows: [[{ start, duration: 5, name: 0 }]] }], [0, 1_000_000]);
      const length = new DataView(bytes.buffer).getUint32(0, true);
      const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as object;
      const words = new TextEncoder().encode(JSON.stringify({ ...head, range: [start, end], width }));
      const whole = new Uint8Array(4 + words.length + bytes.length - 4 - length);
      new DataView(whole.buffer).setUint32(0, words.length, true);
      whole.set(words, 4);
      whole.set(bytes.subarray(4 + length), 4 + words.length);
      return Promise.resolve(whole.buffer as ArrayBuffer);
    },
  } as unknown as Source;
  return { asked, source };
}

describe("windows of a server", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("are asked for once the window stands still, wider than it is, and kept", async () => {
    const { asked, source } = server();
    const overall = slices([0, 1_000_000], 1000);
    const arrived = vi.fn();
    const windows = new Windows(source, overall, arrived);
    windows.want({ from: 0, to: 900_000 }, 1000);
    for (let from = 100_000; from <= 200_000; from += 20_000) windows.want({ from, to: from + 10_000 }, 1000);
    expect(asked).toEqual([]);
    await vi.runAllTimersAsync();
    expect(asked).toEqual([{ start: "195000", end: "215000", pixels: "2000" }]);
    expect(arrived).toHaveBeenCalledTimes(1);
    const best = windows.best({ from: 200_000, to: 210_000 });
    expect(coarseness(best)).toBe(10);
    // A move within what was fetched asks for nothing, and neither does what the whole shows well enough.
    windows.want({ from: 197_000, to: 207_000 }, 1000);
    windows.want({ from: 0, to: 1_000_000 }, 1000);
    await vi.runAllTimersAsync();
    expect(asked.length).toBe(1);
    expect(windows.best({ from: 190_000, to: 200_000 })).toBe(overall);
    // A closer look asks again.
    windows.want({ from: 200_000, to: 201_000 }, 1000);
    await vi.runAllTimersAsync();
    expect(asked.length).toBe(2);
    expect(coarseness(windows.best({ from: 200_000, to: 201_000 }))).toBe(1);
  });

  test("are never asked for in more pixels than a server draws, and not again where that changes nothing", async () => {
    const { asked, source } = server();
    const windows = new Windows(source, slices([0, 1_000_000], 1000), () => {});
    windows.want({ from: 100_000, to: 700_000 }, 600_000);
    await vi.runAllTimersAsync();
    expect(asked).toEqual([{ start: "0", end: "1000000", pixels: "20000" }]);
    windows.want({ from: 110_000, to: 710_000 }, 600_000);
    await vi.runAllTimersAsync();
    expect(asked.length).toBe(1);
  });

  test("where there is nothing are never asked for", async () => {
    const { asked, source } = server();
    const windows = new Windows(source, slices([0, 1_000_000], 1000), () => {});
    for (const from of [-50_000, 2_000_000, Number.POSITIVE_INFINITY]) {
      windows.want({ from, to: from + 10_000 }, 1000);
      await vi.runAllTimersAsync();
    }
    windows.want({ from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY }, Number.NaN);
    await vi.runAllTimersAsync();
    expect(asked).toEqual([]);
  });

  test("of a file are never asked for", async () => {
    const { asked, source } = server(false);
    const windows = new Windows(source, slices([0, 1_000_000], 1000), () => {});
    windows.want({ from: 5, to: 6 }, 1000);
    await vi.runAllTimersAsync();
    expect(asked).toEqual([]);
  });

  test("that cannot be had leave what there is", async () => {
    const source = { live: true, part: () => Promise.reject(new Error("gone")) } as unknown as Source;
    const overall = slices([0, 1_000_000], 1000);
    const windows = new Windows(source, overall, () => expect.unreachable());
    windows.want({ from: 5, to: 500 }, 1000);
    await vi.runAllTimersAsync();
    expect(windows.best({ from: 5, to: 500 })).toBe(overall);
  });
});

describe("a search where slices are in groups", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("asks the server, and steps through what it tells", async () => {
    const told = [7, 90].map((start) => ({ rank: 0, group: "g", track: "s", name: "gemm", start, duration: 2 }));
    const asked: string[] = [];
    const ask = (path: string) => (asked.push(path), Promise.resolve({ count: 5000, duration: 12, first: told }));
    const search = new Search({ live: true, ask } as unknown as Source, () => slices([0, 1000], 50), () => true);
    search.ask("ge");
    search.ask("gemm & co");
    await vi.runAllTimersAsync();
    expect(asked).toEqual(["runs/latest/slices?limit=2000&contains=gemm%20%26%20co"]);
    expect(search.all.value?.count).toBe(5000);
    expect([search.step(1), search.step(1), search.step(1), search.step(-1)]).toEqual([told[0], told[1], told[0], told[1]]);
    search.ask("");
    expect(search.all.value).toBeNull();
    expect(search.step(1)).toBe(-1);
  });

  test("asks nobody if all slices are here", async () => {
    const ask = vi.fn();
    const search = new Search({ live: true, ask } as unknown as Source, () => slices([0, 1000], 0), () => false);
    search.ask("a");
    await vi.runAllTimersAsync();
    expect(ask).not.toHaveBeenCalled();
    expect(search.step(1)).toBe(0);
  });
});
