// The axis above the rows: times and steps.

import { ticks } from "../../kit/canvas";
import { FONT, mark } from "./paint";
import { AXIS, type Scene, xOf } from "./scene";

/** Labels of times in one unit, with as many digits as tell them apart. */
export function timeLabels(from: number, to: number, most: number): [time: number, label: string][] {
  const { step, at } = ticks(from, to, most);
  const largest = Math.max(Math.abs(from), Math.abs(to));
  const [unit, size] = largest >= 1e9 ? ["s", 1e9] : largest >= 1e6 ? ["ms", 1e6] : largest >= 1e3 ? ["µs", 1e3] : ["ns", 1];
  const digits = Math.max(0, Math.ceil(Math.log10((size as number) / step) - 1e-9));
  return at.map((time) => [time, time === 0 ? "0" : `${(time / (size as number)).toFixed(digits)} ${unit}`]);
}

export function paintAxis(scene: Scene): void {
  const { context, width, margin, viewport, theme } = scene;
  context.fillStyle = theme.surface;
  context.fillRect(0, 0, width, AXIS);
  context.font = FONT;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const [time, label] of timeLabels(viewport.from, viewport.to, (width - margin) / 110)) {
    const x = Math.round(margin + viewport.toPixel(time));
    context.fillStyle = theme.line;
    context.fillRect(x, 17, 1, AXIS - 17);
    context.fillStyle = theme.quiet;
    if (x + 4 + label.length * 6 < width) context.fillText(label, x + 4, 22);
  }
  const ranks = scene.slices.data.ranks;
  context.font = "600 10.5px system-ui, sans-serif";
  context.fillStyle = mark(scene.dark);
  const rank = ranks[0];
  let free = -1;
  for (const [number, from, to] of rank?.steps ?? []) {
    const x = Math.max(margin, xOf(scene, from, rank!.rank)) + 4;
    const label = `step ${number}`;
    if (x < free || xOf(scene, to, rank!.rank) < x + 30 || x + 50 > width) continue;
    context.fillText(label, x, 8);
    free = x + label.length * 6.5 + 8;
  }
  context.fillStyle = theme.line;
  context.fillRect(0, AXIS - 1, width, 1);
  context.fillRect(margin - 1, 0, 1, AXIS);
}
