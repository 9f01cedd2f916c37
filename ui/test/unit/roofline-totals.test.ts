import { describe, expect, test } from "vitest";
import { type Document, rows } from "../../src/source/document";
import { LIMITS } from "../../src/views/roofline/classify";
import { read } from "../../src/views/roofline/data";
import { totalled } from "../../src/views/roofline/totals";
import { json, PROGRAM, TRAINING } from "./program";
import { npu } from "./roofline-documents";

test("points of one name become one, all others stay as they are", () => {
  const data = read(npu());
  expect(totalled(data, LIMITS).points).toEqual(data.points);
  const [conv, mm] = data.points;
  // 40 000 FLOP and 400 bytes in 100 ns, best 40 ns; twice 16 000 FLOP and bytes in 400 ns, best 320 ns.
  const both = totalled({ ...data, points: [conv!, { ...mm!, name: "conv" }] }, LIMITS).points;
  expect(both.length).toBe(1);
  expect(both[0]).toMatchObject({ calls: 3, time: 500, flops: 24_000, headroom: 140, pct: 72, kind: "several", dtype: "INT8", boundBy: null });
  expect(both[0]!.intensity).toBeCloseTo(72_000 / 32_400);
  expect(both[0]!.achieved).toBeCloseTo(72_000 / 500);
  expect(both[0]!.roof).toBeCloseTo(72_000 / 360);
  expect(both[0]!.status).toBe("Memory Bound");
});

describe.skipIf(!PROGRAM)("against the program", () => {
  test("totals are those of its own table of operators", () => {
    const document = json<Document>("report", TRAINING);
    const operators = new Map(rows(document, "roofline", "by_operator").map((row) => [row.name, row]));
    let compared = 0;
    for (const point of totalled(read(document), LIMITS).points) {
      const row = operators.get(point.name);
      if (!row || row.assessed_pct !== 100 || point.pct === null) continue;
      compared += 1;
      expect([point.calls, point.time]).toEqual([row.calls, row.time_ns]);
      expect(point.pct! / Number(row.pct_of_roof)).toBeCloseTo(1, 4);
      expect(point.headroom! / Number(row.headroom_ns)).toBeCloseTo(1, 4);
      if (row.flops) expect((point.flops! * point.calls!) / Number(row.flops)).toBeCloseTo(1, 9);
      expect((point.bytes! * point.calls!) / Number(row.bytes)).toBeCloseTo(1, 9);
    }
    expect(compared).toBeGreaterThan(10);
  });
});
