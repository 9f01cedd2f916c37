// @vitest-environment node
import { describe, expect, test } from "vitest";
import { shaded } from "../../src/kit/shade";
import type { FlameData } from "../../src/views/flame/data";
import { kindInks } from "../../src/views/flame/paint";
import { colours } from "../../src/views/timeline/colours";
import { decode } from "../../src/views/timeline/data";
import { dataOf, PROGRAM, TRAINING } from "./program";

test("a shade is that of the name", () => {
  // "a" is 97, which is 2 above a multiple of 5: 1.04 - 2 * 0.045 = 0.95 of 100, 200, 50.
  expect(shaded("a", [100, 200, 50])).toBe((48 << 16) | (190 << 8) | 95);
  // "b" is 98: 0.905; nothing is brighter than white: "d" is 100: 1.04.
  expect(shaded("b", [100, 200, 50])).toBe((45 << 16) | (181 << 8) | 91);
  expect(shaded("d", [100, 255, 50])).toBe((52 << 16) | (255 << 8) | 104);
});

describe.skipIf(!PROGRAM)("timeline and flame graph", () => {
  test.each([false, true])("a name has one colour in both, dark: %s", (dark) => {
    const flame = (PROGRAM ? JSON.parse(dataOf("flame", TRAINING).toString()) : { kinds: [] }) as FlameData;
    const packed = dataOf("timeline", TRAINING);
    const { head } = decode(packed.buffer.slice(packed.byteOffset, packed.byteOffset + packed.byteLength) as ArrayBuffer);
    const ofTimeline = colours(head, dark);
    const ink = kindInks(flame, dark);
    const view = flame.views[0]!;
    const wrong: string[] = [];
    let compared = 0;
    view.name.forEach((name, frame) => {
      const text = flame.names[name]!;
      const at = head.names.indexOf(text);
      // Names that stand for several, such as those of steps, are not in the timeline.
      if (at < 0 || head.names.indexOf(text, at + 1) >= 0) return;
      compared++;
      if (ink(view.kind[frame]!, name).texel !== ofTimeline.texel[at]) wrong.push(text);
    });
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(100);
  });
});
