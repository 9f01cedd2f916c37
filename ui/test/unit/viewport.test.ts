import { describe, expect, test } from "vitest";
import { steer, turn, Viewport } from "../../src/kit/viewport";

function viewport() {
  const made = new Viewport({ from: 100, to: 1100 }, { least: 10, slack: 0.1 });
  made.width = 500;
  return made;
}

describe("a window on an axis", () => {
  test("pixels and places are each other's inverse", () => {
    const made = viewport();
    expect(made.toPixel(100)).toBe(0);
    expect(made.toPixel(1100)).toBe(500);
    expect(made.toAxis(250)).toBe(600);
    made.set(333, 444);
    for (const pixel of [0, 17, 250.5, 500]) expect(made.toPixel(made.toAxis(pixel))).toBeCloseTo(pixel, 9);
  });

  test("what is under the pointer stays there when it zooms", () => {
    const made = viewport();
    const before = made.toAxis(123);
    made.zoom(0.5, 123);
    expect(made.length).toBeCloseTo(500, 9);
    expect(made.toAxis(123)).toBeCloseTo(before, 9);
    turn(made, { deltaX: 0, deltaY: 120, shiftKey: false }, 123);
    expect(made.toAxis(123)).toBeCloseTo(before, 9);
  });

  test("no further than the ends with their slack, no closer than the least", () => {
    const made = viewport();
    made.set(-5000, -4000);
    expect([made.from, made.to]).toEqual([0, 1000]);
    made.set(5000, 5100);
    expect([made.from, made.to]).toEqual([1100, 1200]);
    made.set(500, 501);
    expect(made.length).toBe(10);
    made.set(-1e9, 1e9);
    expect([made.from, made.to]).toEqual([0, 1200]);
    made.set(Number.NaN, 5);
    expect([made.from, made.to]).toEqual([0, 1200]);
  });

  test("moves by whole pixels", () => {
    const made = viewport();
    made.set(300, 400);
    made.moveBy(12.4);
    expect(made.from).toBeCloseTo(300 + (12 * 100) / 500, 9);
  });

  test("a gesture is one step to undo", () => {
    const made = viewport();
    made.set(200, 400, 1000);
    made.set(210, 410, 1100);
    made.set(220, 420, 1200);
    made.set(600, 700, 5000);
    expect(made.undo()).toBe(true);
    expect([made.from, made.to]).toEqual([220, 420]);
    expect(made.undo()).toBe(true);
    expect([made.from, made.to]).toEqual([100, 1100]);
    expect(made.undo()).toBe(false);
  });

  test("to show everything is a step of its own", () => {
    const made = viewport();
    made.set(200, 400);
    made.fit();
    made.set(500, 600);
    made.undo();
    expect(made.isWhole).toBe(true);
    made.undo();
    expect([made.from, made.to]).toEqual([200, 400]);
  });

  test("focus shows a piece with a margin, and everything if asked again", () => {
    const made = viewport();
    made.focus({ from: 500, to: 600 });
    expect([made.from, made.to]).toEqual([480, 620]);
    made.focus({ from: 500, to: 600 });
    expect(made.isWhole).toBe(true);
  });

  test("an axis without length has one", () => {
    const made = new Viewport({ from: 5, to: 5 });
    expect(made.length).toBe(1);
    expect(Number.isFinite(made.toPixel(7))).toBe(true);
  });

  test("keys", () => {
    const made = viewport();
    expect(steer(made, "W", 0)).toBe(true);
    expect([made.from, made.length]).toEqual([100, 700]);
    expect(steer(made, "d")).toBe(true);
    expect(made.from).toBeCloseTo(205, 9);
    expect(steer(made, "0")).toBe(true);
    expect(made.isWhole).toBe(true);
    expect(steer(made, "x")).toBe(false);
  });
});
