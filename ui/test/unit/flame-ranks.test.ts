// @vitest-environment node
import { describe, expect, test } from "vitest";
import { type FlameData, tree } from "../../src/views/flame/data";
import { ofRank } from "../../src/views/flame/ranks";
import { dataOf, PROGRAM, TRAINING } from "./program";

const parsed = (...parts: string[]) => JSON.parse(dataOf("flame", ...parts).toString()) as FlameData;

describe.skipIf(!PROGRAM)("the calls of one rank", () => {
  const whole = PROGRAM ? parsed(TRAINING) : ({ views: [] } as unknown as FlameData);

  test.each([0, 1])("of rank %d are those that the program draws of it", (rank) => {
    const asked = parsed(TRAINING, "--rank", String(rank));
    const found = ofRank(whole, rank);
    expect(found.views.map((view) => view.id)).toEqual(["left-heavy", "time"]);
    for (const view of found.views) {
      const [ours, theirs] = [tree(view), tree(asked.views.find((one) => one.id === view.id)!)];
      expect(ours.total.map((column) => column[0])).toEqual(theirs.total.map((column) => column[0]));
      // One more: the frame of the rank itself.
      expect(ours.count).toBe(theirs.count + 1);
      const sums = (of: typeof ours, data: FlameData) => {
        const byName = new Map<string, number>();
        of.name.forEach((name, frame) => byName.set(data.names[name]!, (byName.get(data.names[name]!) ?? 0) + of.own[0]![frame]!));
        byName.delete(`rank ${rank}`);
        return [...byName].sort(([a], [b]) => (a < b ? -1 : 1));
      };
      expect(sums(ours, found)).toEqual(sums(theirs, asked));
    }
  });

  test("of a rank that was not recorded there are none, and one recording needs no choice", () => {
    expect(ofRank(whole, 7).views).toEqual([]);
    const one = parsed(TRAINING, "--rank", "0");
    expect(ofRank(one, 0)).toBe(one);
  });
});
