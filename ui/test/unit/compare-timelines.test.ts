// Two runs on one axis.

// @vitest-environment node
import { describe, expect, test } from "vitest";
import { alignment, commonSteps, stepTimes, together } from "../../src/views/timeline/align";
import { type Data, decode } from "../../src/views/timeline/data";
import { isBase, join, ofBase, ownNumber, rankName } from "../../src/views/timeline/join";
import { layOut } from "../../src/views/timeline/layout";
import { workOfRanks } from "../../src/views/timeline/overview";
import { Slices } from "../../src/views/timeline/relations";
import { areaTable, sumArea } from "../../src/views/timeline/sums";
import { payload } from "../payload";

type Step = [number, number, number];

/** A run whose second track has a kernel that the first one launched. */
function run(name: string, at: number, steps: Step[]): Data {
  const tracks = [
    { group: "host", name: "thread 1", stream: false, rows: [[{ start: at, duration: 5, name: 0 }]] },
    { group: "device", name: "stream 7", stream: true, rows: [[{ start: at + 10, duration: 20, name: 1, launch: 0 }]] },
  ];
  return decode(payload(["launch", name], [1, 4], tracks, [at, at + 100], steps).buffer.slice(0) as ArrayBuffer);
}

const own = run("gemm", 0, [[3, 10, 30], [4, 30, 60]]);
const base = run("older gemm", 1000, [[4, 1040, 1080], [5, 1080, 1100]]);
const both = join(own, base);

describe("two runs as one", () => {
  test("every slice is there with its name, its time and its launch", () => {
    const slices = new Slices(both);
    expect(both.rows.map((row) => slices.nameOf(row.from))).toEqual(["launch", "gemm", "launch", "older gemm"]);
    expect([...both.start]).toEqual([0, 10, 1000, 1010]);
    expect(slices.arrows(3, false)).toEqual([[2, 3]]);
    expect(slices.arrows(0, false)).toEqual([[0, 1]]);
    expect(both.rows.map((row) => row.index)).toEqual([0, 1, 2, 3]);
    expect(new Set(both.rows.map((row) => row.key)).size).toBe(4);
    expect(both.head.notes).toEqual(["made for a test", "base: made for a test"]);
  });

  test("ranks say which run they are of, and a chosen rank is that of both", () => {
    expect(both.ranks.map((one) => rankName(one.rank))).toEqual(["rank 0", "base rank 0"]);
    const wish = { folded: new Set<string>(), rows: 8, hidden: new Set<string>(), pinned: new Set<string>(), filter: "", rank: 0 };
    const headings = layOut(both.ranks, wish).lines.flatMap((line) => (line.kind === "heading" && line.strong ? [line.text] : []));
    expect(headings).toEqual(["New: rank 0", "Base: rank 0"]);
    expect(layOut(both.ranks, { ...wish, rank: 1 }).lines).toEqual([]);
  });

  test("the same rank of both stands together", () => {
    const of = (data: Data, ranks: number[]): Data => ({ ...data, ranks: ranks.map((rank) => ({ ...data.ranks[0]!, rank })) });
    const joined = join(of(own, [0, 2]), of(base, [0, 1, 2]));
    expect(joined.ranks.map((one) => rankName(one.rank))).toEqual(["rank 0", "base rank 0", "rank 2", "base rank 2", "base rank 1"]);
  });

  test("a rank of the base is one of the base whatever its number", () => {
    for (const rank of [-1, -(2 ** 31), 0, 2 ** 31]) {
      expect([isBase(rank), isBase(ofBase(rank)), ownNumber(ofBase(rank))]).toEqual([false, true, rank]);
    }
    const unknown = (data: Data): Data => ({ ...data, ranks: data.ranks.map((one) => ({ ...one, rank: -1 })) });
    const joined = join(unknown(own), unknown(base));
    expect(joined.ranks.map((one) => rankName(one.rank))).toEqual(["rank -1", "base rank -1"]);
    expect(alignment(joined.ranks, "").get(ofBase(-1))).toBe(1040 - 30);
  });

  test("sums of an area are told apart by run, and shares of work are those of the run that is shown", () => {
    const parts = both.rows.map((row) => ({ row, from: 0, to: 2000 }));
    const table = areaTable(sumArea(new Slices(both), parts));
    expect(table.columns.map((column) => column.id)).toContain("run");
    expect(table.rows.map(([name, of]) => `${name} ${of}`).sort()).toEqual(["gemm new", "launch base", "launch new", "older gemm base"]);
    expect([...workOfRanks(new Slices(both)).ranks.keys()]).toEqual([0]);
  });
});

describe("alignment of two runs", () => {
  const shift = (data: Data, step = "") => alignment(data.ranks, step).get(ofBase(0));

  test("by a step in the middle of those that both have, or by the one that is chosen", () => {
    expect(commonSteps(both.ranks)).toEqual([4]);
    expect(shift(both)).toBe(1040 - 30);
    expect(alignment(both.ranks, "").get(0) ?? 0).toBe(0);
    const more = join(own, run("gemm", 1000, [[3, 1005, 1040], [4, 1040, 1080]]));
    // The first step warms up.
    expect([shift(more), shift(more, "3")]).toEqual([1040 - 30, 1005 - 10]);
    expect(alignment(more.ranks, "4").get(0)).toBe(0);
  });

  test("by the first of each if none has the same number, and by the start without steps", () => {
    const other = join(own, run("gemm", 1000, [[8, 1003, 1013]]));
    expect(together(other.ranks, "")).toEqual([[3, 10, 30], [8, 1003, 1013]]);
    expect(shift(other)).toBe(1003 - 10);
    const none = join(own, run("gemm", 1000, []));
    expect(together(none.ranks, "")).toBeNull();
    expect(shift(none)).toBe(0);
    expect(stepTimes(none.ranks, "")).toEqual([]);
  });

  test("of many ranks with many steps looks at each step a few times", () => {
    let looks = 0;
    const counted = (step: Step): Step => Object.defineProperty([...step] as Step, 0, { get: () => ((looks += 1), step[0]) });
    const many = (data: Data, first: number): Data => {
      const steps = Array.from({ length: 1000 }, (_, at): Step => counted([first + at, at * 10, at * 10 + 10]));
      return { ...data, ranks: Array.from({ length: 100 }, (_, rank) => ({ ...data.ranks[0]!, rank, steps })) };
    };
    const { ranks } = join(many(own, 0), many(base, 999));
    looks = 0;
    expect(commonSteps(ranks)).toEqual([999]);
    // Both runs have 200,000 steps, and ten thousand million pairs of them.
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(5 * 200_000);
  });

  test("says how long the step takes in both", () => {
    expect(stepTimes(both.ranks, "")).toEqual([{ number: 4, time: 30 }, { number: 4, time: 40 }]);
    // An address may ask for a step that is not there.
    expect(stepTimes(both.ranks, "99")).toEqual(stepTimes(both.ranks, ""));
  });

  test("one run alone is where its clock puts it", () => {
    expect(alignment(own.ranks, "").size).toBe(0);
    expect(commonSteps(own.ranks)).toEqual([3, 4]);
    expect(own.ranks.some((one) => isBase(one.rank))).toBe(false);
  });
});
