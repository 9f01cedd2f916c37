// The picture of a flame graph: a strip of texels, names over it.

import { channels, cut, type Surface } from "../../kit/canvas";
import { pixels } from "../../kit/lod";
import { INK, shaded, texel } from "../../kit/shade";
import type { Viewport } from "../../kit/viewport";
import type { Change, FlameData } from "./data";
import type { Place } from "./flame";
import type { Layout } from "./layout";

export const ROW = 20;
const BELOW = 1;
const PAD = 4;
const FONT = '11.5px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
/** Frames that are wider have their names in them. */
const LABELLED = 24;

/** A level of a tree in the picture. */
export interface PictureRow {
  readonly layout: Layout;
  readonly level: number;
}

export interface Picture extends Surface {
  readonly data: FlameData;
  readonly metric: number;
  readonly isDifference: boolean;
  readonly dark: boolean;
  readonly theme: Readonly<Record<"surface" | "text" | "quiet" | "line" | "selected-line", string>>;
  readonly viewport: Viewport;
  readonly rows: readonly PictureRow[];
  readonly top: number;
  /** By name; null without a search. */
  readonly matches: Uint8Array | null;
  /** Names that are selected on the page. */
  readonly marked: Uint8Array | null;
  readonly focused: Place | null;
}

/** Which colour the step from one amount to another has: as `present::flame::colour::change`. */
export function changeOf(changes: readonly Change[], now: number, before: number): Change | undefined {
  const larger = Math.max(now, before);
  const share = larger > 0 ? (now - before) / larger : 0;
  return changes.find((change) => share <= change.most) ?? changes.at(-1);
}

export interface Ink {
  texel: number;
  text: string;
}

/** The colours of frames by kind and name, made when they are first asked for. */
export function kindInks(data: FlameData, dark: boolean): (kind: number, name: number) => Ink {
  const of = data.kinds.map((kind) => channels(dark ? kind.dark : kind.light));
  const text = INK[dark ? 1 : 0];
  const made: Ink[] = [];
  return (kind, name) => (made[name * of.length + kind] ??= { texel: shaded(data.names[name] ?? "", of[kind] ?? [136, 136, 136]), text });
}

/** Those of a page stay: a picture is painted often. */
const known = new WeakMap<FlameData, Map<boolean, ReturnType<typeof kindInks>>>();

function inksOf(data: FlameData, dark: boolean): ReturnType<typeof kindInks> {
  const of = known.get(data) ?? new Map<boolean, ReturnType<typeof kindInks>>();
  known.set(data, of);
  const found = of.get(dark) ?? kindInks(data, dark);
  of.set(dark, found);
  return found;
}

/** The colours that a picture has, by kind or by change, as texels without their strength. */
function inks(picture: Picture): { of(layout: Layout, frame: number): Ink } {
  const { data, dark, metric } = picture;
  if (!picture.isDifference) {
    const ink = inksOf(data, dark);
    return { of: ({ tree }, frame) => ink(tree.kind[frame]!, tree.name[frame]!) };
  }
  const made = new Map(data.changes.map((change) => [change, { texel: texel(change.fill), text: change.text }]));
  const other: Ink = { texel: 0xd9d9d9, text: INK[0] };
  return {
    of: ({ tree }, frame) => made.get(changeOf(data.changes, tree.total[metric]![frame]!, tree.base[metric]?.[frame] ?? 0)!) ?? other,
  };
}

/** True for the frames around the one in focus: they are there for the way back. */
function isAround(focused: Place | null, layout: Layout, frame: number): boolean {
  return focused !== null && focused.layout === layout && frame < focused.frame && layout.tree.end[frame]! > focused.frame;
}

export function paintFrames(picture: Picture, texels: HTMLCanvasElement, marks: { chosen: Place | null; hover: Place | null; hasFocus: boolean }): void {
  const { context, width, height, ratio, viewport, rows, top } = picture;
  context.fillStyle = picture.theme.surface;
  context.fillRect(0, 0, width, height);
  const [first, last] = [Math.floor(top / ROW), Math.min(rows.length, Math.ceil((top + height) / ROW))];
  if (last <= first) return;
  const wide = Math.max(1, Math.round(width * ratio));
  const size = viewport.length / wide;
  const image = new ImageData(wide, last - first);
  const words = new Uint32Array(image.data.buffer);
  const drawn = pixels(wide);
  const ink = inks(picture);
  const labels: { layout: Layout; frame: number; from: number; to: number; y: number }[] = [];
  for (let index = first; index < last; index++) {
    const { layout, level } = rows[index]!;
    layout.lod.draw(layout.levels[level]!, layout.levels[level + 1]!, viewport.from, size, 0, wide, drawn);
    paintRow(picture, layout, drawn, words.subarray((index - first) * wide, (index - first + 1) * wide), ink, index * ROW - top, labels);
  }
  if (texels.width < wide || texels.height < last - first) {
    texels.width = Math.max(texels.width, wide);
    texels.height = Math.max(texels.height, last - first);
  }
  texels.getContext("2d")?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(texels, 0, 0, wide, last - first, 0, first * ROW - top, width, (last - first) * ROW);
  context.fillStyle = picture.theme.surface;
  for (let index = first; index < last; index++) context.fillRect(0, (index + 1) * ROW - top - BELOW, width, BELOW);
  paintLabels(picture, labels, ink);
  if (marks.chosen && marks.hasFocus) outline(picture, marks.chosen, 2.5);
  if (marks.hover) outline(picture, marks.hover, 1.25);
}

function paintRow(
  picture: Picture,
  layout: Layout,
  { slice, cover }: { slice: Int32Array; cover: Float32Array },
  into: Uint32Array,
  ink: ReturnType<typeof inks>,
  y: number,
  labels: { layout: Layout; frame: number; from: number; to: number; y: number }[],
): void {
  const { matches, marked, focused, ratio } = picture;
  const least = LABELLED * ratio;
  for (let from = 0; from < slice.length; ) {
    const place = slice[from]!;
    let to = from + 1;
    while (to < slice.length && slice[to] === place) to++;
    if (place >= 0) {
      const frame = layout.frames[place]!;
      const name = layout.tree.name[frame]!;
      const strength = matches && !matches[name] ? 0.25 : isAround(focused, layout, frame) ? 0.6 : 1;
      const { texel } = ink.of(layout, frame);
      for (let pixel = from; pixel < to; pixel++) into[pixel] = texel | (Math.min(255, 255 * strength * (0.4 + 0.6 * cover[pixel]!)) << 24);
      // A hair between neighbours.
      if (to - from > 3) into[to - 1] = texel | ((90 * strength) << 24);
      if (to - from >= least || (marked?.[name] && to - from > 1)) labels.push({ layout, frame, from: from / ratio, to: to / ratio, y });
    }
    from = to;
  }
}

function paintLabels(picture: Picture, labels: { layout: Layout; frame: number; from: number; to: number; y: number }[], ink: ReturnType<typeof inks>): void {
  const { context, data, matches, marked, dark, theme } = picture;
  context.font = FONT;
  context.textBaseline = "middle";
  const letter = context.measureText("M").width;
  for (const { layout, frame, from, to, y } of labels) {
    const name = layout.tree.name[frame]!;
    if (marked?.[name]) {
      context.fillStyle = theme["selected-line"];
      context.fillRect(from, y + ROW - BELOW - 3, to - from - 1, 3);
    }
    if (to - from < LABELLED) continue;
    const faded = matches !== null && !matches[name];
    context.fillStyle = faded && dark ? "#cccccc" : ink.of(layout, frame).text;
    context.globalAlpha = faded ? 0.6 : 1;
    context.fillText(cut(data.names[name] ?? "", to - from - 2 * PAD, letter), from + PAD, y + ROW / 2);
  }
  context.globalAlpha = 1;
}

function outline({ context, viewport, rows, top, width, theme }: Picture, { layout, frame }: Place, weight: number): void {
  const index = rows.findIndex((row) => row.layout === layout && row.level === layout.tree.level[frame]);
  if (index < 0) return;
  const x = Math.max(0, viewport.toPixel(layout.left[frame]!));
  const right = Math.min(width, viewport.toPixel(layout.left[frame]! + layout.width[frame]!));
  if (right < 0 || x > width) return;
  context.strokeStyle = theme.text;
  context.lineWidth = weight;
  context.strokeRect(x + weight / 2, index * ROW - top + weight / 2, Math.max(1, right - x - 1 - weight), ROW - BELOW - weight);
  context.lineWidth = 1;
}

/** All levels on a few pixels, with the part that is looked at. */
export function paintMini(made: Surface, picture: Picture, bands: HTMLCanvasElement): void {
  const { context, width, height, ratio } = made;
  const { rows, viewport, theme } = picture;
  const wide = Math.max(1, Math.round(width * ratio));
  context.fillStyle = theme.surface;
  context.fillRect(0, 0, width, height);
  if (rows.length === 0) return;
  if (bands.width !== wide || bands.height !== rows.length) {
    bands.width = wide;
    bands.height = rows.length;
    const image = new ImageData(wide, rows.length);
    const words = new Uint32Array(image.data.buffer);
    const drawn = pixels(wide);
    const ink = inks(picture);
    const { from, to } = viewport.whole;
    rows.forEach(({ layout, level }, index) => {
      layout.lod.draw(layout.levels[level]!, layout.levels[level + 1]!, from, (to - from) / wide, 0, wide, drawn);
      for (let pixel = 0; pixel < wide; pixel++) {
        const place = drawn.slice[pixel]!;
        if (place >= 0) words[index * wide + pixel] = ink.of(layout, layout.frames[place]!).texel | (Math.min(255, 255 * (0.4 + 0.6 * drawn.cover[pixel]!)) << 24);
      }
    });
    bands.getContext("2d")?.putImageData(image, 0, 0);
  }
  context.drawImage(bands, 0, 2, width, height - 4);
  const share = (value: number) => ((value - viewport.whole.from) / (viewport.whole.to - viewport.whole.from)) * width;
  const [from, to] = [Math.max(0, share(viewport.from)), Math.min(width, share(viewport.to))];
  context.fillStyle = theme.surface;
  context.globalAlpha = 0.66;
  context.fillRect(0, 0, from, height);
  context.fillRect(to, 0, width - to, height);
  context.globalAlpha = 1;
  context.strokeStyle = theme.text;
  context.strokeRect(from + 0.5, 0.5, Math.max(2, to - from - 1), height - 1);
}
