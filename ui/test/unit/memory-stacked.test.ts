import { describe, expect, test } from "vitest";
import type { Document, Value } from "../../src/source/document";
import { columns, grouped, groupings, hit, isAt, matches, OTHERS, type Stacked, stacked } from "../../src/views/memory/stacked";
import { documentWith } from "./documents";
import { below, random } from "./random";

const column = (id: string) => ({ id, title: id, unit: null });
const device = { rank: 0, device: "cuda:0", row: { index: 0 } };

/** Allocations with bytes, first state, first state without, operator and module; and the rest of each state. */
function document(bands: readonly (readonly [number, number, number | null, Value, Value])[], rest: readonly number[], times = rest.map((_, at) => at * 10)): Document {
  const table = (id: string, columns: string[], rows: Value[][]) => ({ id, columns: ["rank", "device", ...columns].map(column), rows: rows.map((row) => [0, "cuda:0", ...row]) });
  return documentWith([
    {
      id: "memory",
      title: "Memory",
      numbers: [],
      findings: [],
      tables: [
        table("allocations_shown", ["shown", "allocations", "peak_pct", "byte_time_pct"], [[bands.length, 99, 97, null]]),
        table("allocations", ["bytes", "from_state", "to_state", "operator", "module", "category", "place", "stack"], bands.map(([bytes, from, to, operator, module], at) => [bytes, from, to, operator, module, null, null, at ? null : 7])),
        table("allocations_rest", ["state", "time_ns", "bytes"], rest.map((bytes, at) => [at, times[at]!, bytes])),
        table("allocation_stacks", ["stack", "lines"], [[7, "net/layer.py:33 forward < train.py:1 main"]]),
      ],
    },
  ], "eaves.memory/1");
}

const made = stacked(
  document(
    [
      [100, 1, 3, "aten::mm", null],
      [50, 0, null, "aten::add", "Linear"],
      [7, 2, 3, "aten::mm", "Linear"],
    ],
    [10, 10, 20, -5],
  ),
  device,
)!;

describe("stacked allocations", () => {
  test("bands and the rest are all that is in use", () => {
    expect(made.all).toEqual([60, 160, 177, 45]);
    expect(made.peak).toBe(2);
    // What contradicts itself is not drawn below nothing.
    expect(made.rest).toEqual([10, 10, 20, 0]);
    expect(made.bands.map(({ from, to }) => [from, to])).toEqual([[1, 3], [0, 4], [2, 3]]);
    expect(stacked(document([], []), { ...device, rank: 1 })).toBeNull();
  });

  test("what is known groups them, the most bytes times time lowest", () => {
    expect(groupings(made)).toEqual(["module", "operator"]);
    const groups = grouped(made, "operator");
    expect(groups.map(({ name, colour, bands }) => [name, colour, bands.map((band) => band.bytes)])).toEqual([
      ["aten::mm", "c1", [100, 7]],
      ["aten::add", "c2", [50]],
    ]);
    expect(groups.map(({ bands }) => bands.map((band) => [...band.base]))).toEqual([[[10, 20], [120]], [[10, 110, 127, 0]]]);
    expect(grouped(made, "module").map((group) => group.name)).toEqual(["(not known)", "Linear"]);
  });

  test("many groups are few colours, and none is left out", () => {
    const many = stacked(document(Array.from({ length: 20 }, (_, at) => [100 - at, 0, null, `op ${at}`, null] as const), [0, 0]), device)!;
    const groups = grouped(many, "operator");
    expect(groups.map((group) => group.name).slice(-2)).toEqual(["op 6", OTHERS]);
    expect(groups.at(-1)).toMatchObject({ colour: "c8", bands: { length: 13 } });
  });

  test("a text is looked for in names and stacks", () => {
    const found = (text: string) => made.bands.filter((band) => matches(band, text)).map((band) => band.bytes);
    expect([found("LINEAR"), found("layer.py:33"), found("aten::mm"), found("nowhere")]).toEqual([[50, 7], [100], [100, 7], []]);
  });

  test("of a pixel the highest is drawn", () => {
    const { all } = made;
    expect(columns(made, (time) => time / 20, 0, 3)).toEqual([{ state: 1, x: 0 }, { state: 2, x: 1 }]);
    expect(columns(made, (time) => time, 1, 2).map(({ state }) => all[state])).toEqual([160, 177]);
  });

  test("at every state and height there is the rest, one band, or nothing", () => {
    const next = random(7);
    const any = (limit: number) => below(next, limit);
    for (let round = 0; round < 50; round++) {
      const states = 1 + any(12);
      const bands = Array.from({ length: any(20) }, () => {
        const from = any(states);
        const to = from + 1 + any(states);
        return [1 + any(30), from, to < states ? to : null, `op ${any(12)}`, null] as const;
      });
      const rest = Array.from({ length: states }, () => any(20));
      const one: Stacked = stacked(document(bands, rest, rest.map((_, at) => Math.floor(at / 2))), device)!;
      const laid = grouped(one, "operator").flatMap((group) => group.bands);
      expect(laid).toHaveLength(bands.length);
      for (let state = 0; state < states; state++) {
        const inUse = bands.filter(([, from, to]) => from <= state && state < (to ?? states)).reduce((sum, [bytes]) => sum + bytes, 0);
        expect(one.all[state]).toBe(inUse + rest[state]!);
        const isOne = (height: number) => {
          const there = laid.filter((band) => isAt(band, state) && band.base[state - band.from]! <= height && height < band.base[state - band.from]! + band.bytes);
          return there.length === Number(height >= rest[state]! && height < one.all[state]!) && hit(laid, state, height) === there[0];
        };
        expect(Array.from({ length: one.all[state]! + 3 }, (_, height) => height).filter((height) => !isOne(height))).toEqual([]);
      }
    }
  });
});
