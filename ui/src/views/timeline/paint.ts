// The picture: rows as a strip of texels, then words, counters, arrows and the axis over it.

import { cut, letterWidth } from "../../kit/canvas";
import { amount, extremes, paintCounter } from "./counters";
import type { Row, Track } from "./data";
import { type Line, type RowLine, ROW } from "./layout";
import type { Arrow } from "./relations";
import { type Area, AXIS, inSight, offset, type Scene, scrollTop, xOf, yOf } from "./scene";

export const FONT = "11px system-ui, sans-serif";
/** Slices that are wider have their names in them. */
const LABELLED = 28;
/** Space below a row. */
const BELOW = 2;

/** Vermillion of Okabe and Ito, for what the reader does: arrows, cursor, areas. */
export function mark(dark: boolean): string {
  return dark ? "#ff9155" : "#c43d00";
}

const plotWidth = (scene: Scene) => scene.width - scene.margin;

/** Everything but what follows the pointer. */
export function paintRows(scene: Scene, strip: HTMLCanvasElement, folded: ReadonlySet<string>): void {
  const { context, width, height, theme } = scene;
  context.fillStyle = theme.surface;
  context.fillRect(0, 0, width, height);
  const below = scrollTop(scene);
  paintLines(scene, strip, inSight(scene, scene.scrolling, below - scene.top, below), folded);
  if (scene.pinned.lines.length > 0) {
    context.fillStyle = theme.raised;
    context.fillRect(0, AXIS, width, scene.pinned.height);
    paintLines(scene, strip, inSight(scene, scene.pinned, AXIS, AXIS), folded);
    rule(scene, 0, below - 0.5, width);
  }
}

function rule({ context, theme }: Scene, x: number, y: number, length: number): void {
  context.fillStyle = theme.line;
  context.fillRect(x, Math.round(y), length, 1);
}

function paintLines(scene: Scene, strip: HTMLCanvasElement, lines: { line: Line; y: number }[], folded: ReadonlySet<string>): void {
  const { context, margin, theme } = scene;
  const rows: { line: RowLine; row: Row; y: number }[] = [];
  for (const { line, y } of lines) {
    const row = line.kind === "row" ? scene.slices.rowByKey.get(line.key) : undefined;
    if (row && line.kind === "row") rows.push({ line, row, y });
  }
  paintStrip(scene, strip, rows);
  for (const { line, y } of lines) if (line.kind === "counter") paintCounter(scene, line.counter, line.rank, y);
  paintMargin(scene, lines, folded);
  context.fillStyle = theme.line;
  context.fillRect(margin - 1, AXIS, 1, scene.height - AXIS);
}

function paintStrip(scene: Scene, strip: HTMLCanvasElement, rows: { line: RowLine; row: Row; y: number }[]): void {
  const { context, viewport, slices, colours, lit, ratio, margin } = scene;
  const wide = Math.max(1, Math.round(plotWidth(scene) * ratio));
  if (rows.length === 0) return;
  const size = viewport.length / wide;
  const image = new ImageData(wide, rows.length);
  const texels = new Uint32Array(image.data.buffer);
  const painted = rows.map(({ line, row }, index) => {
    const made = scene.strip.row(slices, row, viewport.from + offset(scene, line.rank), size, wide, colours, lit);
    texels.set(made.texels, index * wide);
    return made;
  });
  if (strip.width < wide || strip.height < rows.length) {
    strip.width = Math.max(strip.width, wide);
    strip.height = Math.max(strip.height, rows.length);
  }
  strip.getContext("2d")?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  // Rows without a gap between them are one picture.
  for (let first = 0; first < rows.length; ) {
    let last = first + 1;
    while (last < rows.length && rows[last]!.y === rows[last - 1]!.y + ROW) last++;
    context.drawImage(strip, 0, first, wide, last - first, margin, rows[first]!.y, plotWidth(scene), (last - first) * ROW);
    first = last;
  }
  context.fillStyle = scene.pinned.lineOf.has(rows[0]!.line.key) ? scene.theme.raised : scene.theme.surface;
  for (const { y } of rows) context.fillRect(margin, y + ROW - BELOW, plotWidth(scene), BELOW);
  context.font = FONT;
  context.textBaseline = "middle";
  const letter = letterWidth(context);
  rows.forEach(({ y }, index) => paintLabels(scene, painted[index]!.entries, painted[index]!.origin, size, y, letter));
}

/** The names of the slices that are wide enough. An entry that is at both ends of a stretch is all of it. */
function paintLabels(scene: Scene, entries: Int32Array, origin: number, size: number, y: number, letter: number): void {
  const { context, slices, ratio, margin, theme, wanted } = scene;
  const { end } = slices.data;
  const least = Math.ceil(LABELLED * ratio);
  context.fillStyle = theme.text;
  for (let pixel = 0; pixel + least <= entries.length; ) {
    const entry = entries[pixel]!;
    if (entry < 0 || entries[pixel + least - 1] !== entry) {
      pixel++;
      continue;
    }
    const until = Math.min(entries.length, Math.max(pixel + least, Math.floor((end[entry]! - origin) / size)));
    context.globalAlpha = wanted && !wanted[entry] ? 0.5 : 1;
    context.fillText(cut(slices.labelOf(entry), (until - pixel) / ratio - 7, letter), margin + pixel / ratio + 3, y + (ROW - BELOW) / 2 + 0.5);
    pixel = until;
  }
  context.globalAlpha = 1;
}

function paintMargin(scene: Scene, lines: { line: Line; y: number }[], folded: ReadonlySet<string>): void {
  const { context, margin, theme, width } = scene;
  context.textBaseline = "middle";
  context.font = FONT;
  const letter = letterWidth(context);
  let track: Track | null = null;
  for (const { line, y } of lines) {
    if (line.kind === "heading") {
      context.font = `600 ${line.strong ? 12.5 : 11}px system-ui, sans-serif`;
      context.fillStyle = line.strong ? theme.text : theme.quiet;
      context.fillText(`${line.closed ? "▸" : "▾"} ${cut(line.text, margin - 28, letter * 1.08)}`, 7, y + line.size / 2 + 2);
      context.font = FONT;
      context.fillStyle = theme.quiet;
      if (line.facts) context.fillText(cut(line.facts, width - margin - 12, letter), margin + 6, y + line.size / 2 + 2);
    } else if (line.kind === "counter") {
      context.fillStyle = theme.text;
      context.fillText(cut(line.counter.name, margin - 30, letter), 20, y + 14);
      context.fillStyle = theme.quiet;
      context.fillText(`up to ${amount(extremes(line.counter)[1], line.counter.bytes)}`, 20, y + 29);
    } else if (line.label || line.track !== track) {
      // A track that is scrolled half away is named where it is still to be seen.
      const isTop = line.first || line.track !== track;
      const [middle, many] = [y + (ROW - BELOW) / 2 + 0.5, line.track.rows.length > 1];
      context.fillStyle = isTop ? theme.text : theme.quiet;
      if (isTop && many) context.fillText(folded.has(line.track.key) ? "▸" : "▾", 7, middle);
      context.fillText(cut(isTop && !line.first ? line.track.name : line.label, margin - 30, letter), 20, middle);
    }
    track = line.kind === "row" ? line.track : null;
  }
}

/** Dashed lines where the steps of each rank begin. */
export function paintSteps(scene: Scene): void {
  const { context, margin, width } = scene;
  const below = scrollTop(scene);
  context.strokeStyle = mark(scene.dark);
  context.globalAlpha = 0.45;
  context.setLineDash([2, 3]);
  context.beginPath();
  for (const rank of scene.slices.data.ranks) {
    const own = scene.scrolling.lines.filter((line) => line.rank === rank.rank);
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last) continue;
    const [y0, y1] = [Math.max(below, below + first.y - scene.top), Math.min(scene.height, below + last.y + last.size - scene.top)];
    let free = margin;
    if (y1 <= y0) continue;
    for (const [, from] of rank.steps) {
      const x = Math.round(xOf(scene, from, rank.rank)) + 0.5;
      if (x < free || x > width) continue;
      context.moveTo(x, y0);
      context.lineTo(x, y1);
      free = x + 12;
    }
  }
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** The height of the middle of an entry's row, or of the last row above it that is shown. */
function middleOf(scene: Scene, row: Row): number | undefined {
  const shown = row.track.rows.findLast((other) => other.index <= row.index && yOf(scene, other.key) !== undefined);
  const y = shown && yOf(scene, shown.key);
  return y === undefined ? undefined : y + (ROW - BELOW) / 2;
}

/** Runs with everything but the plot covered. */
export function clipped(scene: Scene, paint: () => void): void {
  const { context, margin } = scene;
  context.save();
  context.beginPath();
  context.rect(margin, AXIS, scene.width - margin, scene.height - AXIS);
  context.clip();
  paint();
  context.restore();
}

export function paintArrows(scene: Scene, arrows: readonly Arrow[]): void {
  const { context, slices, viewport } = scene;
  const { start, end } = slices.data;
  context.strokeStyle = context.fillStyle = mark(scene.dark);
  context.lineWidth = 1.5;
  context.globalAlpha = arrows.length > 20 ? 0.5 : 1;
  for (const [call, activity] of arrows) {
    const [from, to] = [slices.rowOf(call), slices.rowOf(activity)];
    const [y1, y2] = [middleOf(scene, from), middleOf(scene, to)];
    if (y1 === undefined || y2 === undefined) continue;
    const x1 = xOf(scene, start[call]! + Math.min(end[call]! - start[call]!, viewport.length * 0.01), from.track.rank);
    const x2 = xOf(scene, start[activity]!, to.track.rank);
    const bend = Math.max(24, Math.min(200, Math.abs(x2 - x1) / 2));
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    context.stroke();
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - 7, y2 - 4);
    context.lineTo(x2 - 7, y2 + 4);
    context.fill();
  }
  context.globalAlpha = 1;
  context.lineWidth = 1;
}

export function outline(scene: Scene, entry: number, weight: number): void {
  const { context, slices, margin, width } = scene;
  const row = slices.rowOf(entry);
  const y = yOf(scene, row.key);
  if (y === undefined) return;
  // Far beyond the edges a canvas loses precision.
  const from = Math.max(margin - 4, xOf(scene, slices.data.start[entry]!, row.track.rank));
  const to = Math.min(width + 4, xOf(scene, slices.data.end[entry]!, row.track.rank));
  if (to < margin || from > width) return;
  context.lineWidth = weight;
  context.strokeStyle = scene.theme.text;
  context.strokeRect(from, y + 0.5, Math.max(1, to - from), ROW - BELOW - 1);
  context.lineWidth = 1;
}

export function paintArea(scene: Scene, area: Area): void {
  const { context, margin, viewport } = scene;
  context.fillStyle = context.strokeStyle = mark(scene.dark);
  const [from, to] = [margin + viewport.toPixel(area.from), margin + viewport.toPixel(area.to)];
  context.globalAlpha = 0.14;
  for (const key of area.keys) {
    const y = yOf(scene, key);
    if (y !== undefined && y + ROW > (scene.pinned.lineOf.has(key) ? AXIS : scrollTop(scene))) context.fillRect(from, y, to - from, ROW);
  }
  context.globalAlpha = 0.8;
  context.fillRect(Math.round(from), AXIS, 1, scene.height);
  context.fillRect(Math.round(to), AXIS, 1, scene.height);
  context.globalAlpha = 1;
}

/** A line through all rows where the pointer is, with its time. */
export function paintCursor(scene: Scene, x: number, label: string): void {
  const { context, theme, width } = scene;
  context.fillStyle = theme.quiet;
  context.globalAlpha = 0.5;
  context.fillRect(Math.round(x), AXIS, 1, scene.height);
  context.globalAlpha = 1;
  context.font = FONT;
  context.textBaseline = "middle";
  const wide = context.measureText(label).width + 8;
  const left = Math.min(Math.max(scene.margin, x - wide / 2), width - wide);
  context.fillStyle = theme.text;
  context.fillRect(left, 14, wide, 15);
  context.fillStyle = theme.surface;
  context.fillText(label, left + 4, 22);
}
