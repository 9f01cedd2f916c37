// @vitest-environment node
import { describe, expect, test } from "vitest";
import type { Document } from "../../src/source/document";
import { type FlameData, type Tree, tree } from "../../src/views/flame/data";
import { functions } from "../../src/views/flame/functions";
import { depth, frameAt, type Layout, layOut, sumMatches, weights } from "../../src/views/flame/layout";
import { changeOf } from "../../src/views/flame/paint";
import { sandwich } from "../../src/views/flame/sandwich";
import { dataOf, json, PROGRAM, TRAINING } from "./program";
import { below, random } from "./random";

const METRICS = [0, 1, 2, 3];

/** No frame is wider than the one around it, frames of a level do not overlap, and all that has a width is there. */
function check(layout: Layout): void {
  const { tree: of, left, width, frames, levels } = layout;
  // What is wrong is collected: a call of `expect` for each of thousands of frames takes longer than everything else.
  const wrong: string[] = [];
  for (let frame = 1; frame < of.count; frame++) {
    const parent = of.parent[frame]!;
    if (!(width[frame]! > 0)) continue;
    if (left[frame]! < left[parent]!) wrong.push(`${frame} begins before ${parent}`);
    if (left[frame]! + width[frame]! > left[parent]! + width[parent]!) wrong.push(`${frame} ends after ${parent}`);
  }
  let shown = 0;
  for (let level = 0; level < depth(layout); level++) {
    for (let at = levels[level]! + 1; at < levels[level + 1]!; at++) {
      if (left[frames[at]!]! < left[frames[at - 1]!]! + width[frames[at - 1]!]!) wrong.push(`${frames[at]} overlaps ${frames[at - 1]}`);
    }
    shown += levels[level + 1]! - levels[level]!;
  }
  expect(wrong).toEqual([]);
  expect(shown).toBe(width.filter((value) => value > 0).length);
}

describe.skipIf(!PROGRAM)("what the program writes", () => {
  const data = (PROGRAM ? JSON.parse(dataOf("flame", TRAINING).toString()) : { views: [] }) as FlameData;
  const trees = data.views.map(tree);
  const by = (id: string) => trees.find((one) => one.id === id)!;

  test("children never exceed their parents, in any order and metric", () => {
    expect(trees.map((one) => one.id)).toEqual(["left-heavy", "time", "inverted"]);
    for (const one of trees) for (const metric of METRICS) check(layOut(one, metric, "new", 0, data.kinds.length - 1));
  });

  test("all orders have the same totals", () => {
    for (const metric of METRICS) {
      expect(by("inverted").total[metric]![0]).toBe(by("left-heavy").total[metric]![0]);
      expect(by("time").total[metric]![0]).toBe(by("left-heavy").total[metric]![0]);
    }
  });

  test("every frame has the amounts of the table `nodes`", () => {
    const table = json<Document>("flame", TRAINING).sections[0]!.tables.find((one) => one.id === "nodes")!;
    const at = (id: string) => table.columns.findIndex((column) => column.id === id);
    const path = new Map<number | null, string>([[null, ""]]);
    const expected = new Map<string, (number | string)[]>();
    for (const row of table.rows) {
      const words = `${path.get(row[at("parent")] as number | null)}\n${row[at("name")]} ${row[at("kind")]}`;
      path.set(row[at("id")] as number, words);
      expected.set(words, ["total_ns", "gpu_total_ns", "total_bytes", "self_ns", "gpu_self_ns", "self_bytes"].map((id) => row[at(id)] as number));
    }
    const of = by("left-heavy");
    expect(of.count).toBe(table.rows.length);
    expect(expected.size).toBe(of.count);
    // Kinds by the names that the table has for them.
    const kinds = ["root", "annotation", "python", "op", "runtime", "other", "kernel", "communication", "memory", "small"];
    const words: string[] = [];
    const wrong: string[] = [];
    let found = 0;
    for (let frame = 0; frame < of.count; frame++) {
      const parent = of.parent[frame]!;
      const mine = `${parent < 0 ? "" : words[parent]}\n${data.names[of.name[frame]!]} ${kinds[of.kind[frame]!]}`;
      words.push(mine);
      const row = expected.get(mine);
      if (!row) continue;
      found++;
      const ours = [...[0, 1, 3].map((metric) => of.total[metric]![frame]), ...[0, 1, 3].map((metric) => of.own[metric]![frame])];
      if (ours.join() !== row.join()) wrong.push(`${mine}: ${ours.join()} is not ${row.join()}`);
    }
    expect(wrong).toEqual([]);
    expect(found).toBe(of.count);
  });

  test("both sides of every function have what it has", () => {
    const of = by("left-heavy");
    const listed = METRICS.map((metric) => new Map(functions(of, metric).map((one) => [one.name, one])));
    for (let name = 0; name < data.names.length; name += 3) {
      const sides = sandwich(of, name);
      if (!sides || name === of.name[0]) continue;
      const isOutermost = (frame: number) => {
        for (let around = of.parent[frame]!; around >= 0; around = of.parent[around]!) if (of.name[around] === name) return false;
        return of.name[frame] === name;
      };
      const outermost = Array.from({ length: of.count }, (_, frame) => frame).filter(isOutermost);
      expect(sides.places).toBe(outermost.length);
      for (const metric of METRICS) {
        const sum = outermost.reduce((total, frame) => total + of.total[metric]![frame]!, 0);
        expect(sides.callees.total[metric]![0]).toBe(sum);
        expect(sides.callers.total[metric]![0]).toBe(sum);
        const self = Array.from(of.own[metric]!).reduce((all, own, frame) => all + (of.name[frame] === name ? own : 0), 0);
        expect(listed[metric]!.get(name) ?? { name, self: 0, total: 0 }).toEqual({ name, self, total: sum });
        check(layOut(sides.callees, metric, "new", 0, 9));
        check(layOut(sides.callers, metric, "new", 0, 9));
      }
    }
  });
});

/** A random tree in columns. */
function grown(seed: number, count: number): Tree {
  const next = random(seed);
  const level = [0];
  while (level.length < count) level.push(1 + below(next, Math.min(12, level.at(-1)! + 1)));
  const column = () => level.map(() => below(next, 4) * below(next, 50));
  return tree({ id: "made", time: false, inverted: false, notes: [], level, name: level.map(() => below(next, 9)), kind: level.map(() => 2 + below(next, 8)), grouped: [], start: [], own: [column(), column()], base: [column(), column()] });
}

describe("made trees", () => {
  test("a frame is where its level and place say, for any width", () => {
    for (let seed = 0; seed < 20; seed++) {
      const of = grown(seed, 300);
      for (const width of ["new", "base", "both"] as const) {
        const layout = layOut(of, 1, width, 0, 9);
        check(layout);
        expect(layout.width[0]).toBe(weights(of, 1, width)[0]);
        const next = random(seed + 99);
        for (let round = 0; round < 100; round++) {
          const level = below(next, 13);
          const value = next() * layout.width[0]!;
          let expected = -1;
          for (let frame = 0; frame < of.count; frame++) {
            if (of.level[frame] === level && layout.left[frame]! <= value && value < layout.left[frame]! + layout.width[frame]!) expected = frame;
          }
          expect(frameAt(layout, level, value)).toBe(expected);
        }
      }
    }
  });

  test("children are sorted from the widest to the narrowest, what is small last", () => {
    const of = grown(5, 400);
    const { left, width } = layOut(of, 0, "new", -1, 9);
    for (let frame = 0; frame < of.count; frame++) {
      const children: number[] = [];
      for (let child = frame + 1; child < of.end[frame]!; child = of.end[child]!) if (width[child]! > 0) children.push(child);
      children.sort((a, b) => left[a]! - left[b]!);
      children.forEach((child, at) => {
        const before = children[at - 1];
        if (before === undefined) return;
        const [last, first] = [Number(of.kind[child] === 9), Number(of.kind[before] === 9)];
        expect(last).toBeGreaterThanOrEqual(first);
        if (last === first) expect(width[child]!).toBeLessThanOrEqual(width[before]!);
      });
    }
  });

  test("what matches counts once, however deep", () => {
    // all(a(a(b), b)): a is 10 of 12 in all, b is 3 + 4.
    const of = tree({ id: "x", time: false, inverted: false, notes: [], level: [0, 1, 2, 3, 2], name: [0, 1, 1, 2, 2], kind: [0, 2, 2, 2, 2], grouped: [], start: [], own: [[2, 1, 2, 3, 4]], base: [] });
    const layout = layOut(of, 0, "new", -1, 9);
    expect(layout.width[0]).toBe(12);
    expect(sumMatches(layout, 0, (name) => name === 1)).toEqual({ frames: 2, sum: 10 });
    expect(sumMatches(layout, 0, (name) => name === 2)).toEqual({ frames: 2, sum: 7 });
    expect(sumMatches(layout, 2, (name) => name === 2)).toEqual({ frames: 1, sum: 3 });
    const sides = sandwich(of, 2)!;
    expect(sides.places).toBe(2);
    expect(sides.callees.total[0]![0]).toBe(7);
    // Called 4 by a, and 3 by a that a called.
    expect([...sides.callers.total[0]!]).toEqual([7, 7, 3]);
    expect(sandwich(of, 7)).toBeNull();
  });

  test("changes have the colours that the program gives them", () => {
    // The cases of `more_is_red_less_is_blue_the_same_is_grey` in crates/present/src/flame/colour.rs.
    const changes = [-0.5, -0.2, -0.07, -0.02, 0.02, 0.07, 0.2, 0.5, 1].map((most) => ({ most, fill: "", text: "" }));
    const step = (now: number, before: number) => changes.indexOf(changeOf(changes, now, before)!);
    expect([step(0, 9), step(99, 100), step(100, 100), step(0, 0), step(9, 0)]).toEqual([0, 4, 4, 4, 8]);
    expect([step(110, 100), step(100, 110)]).toEqual([6, 2]);
  });
});
