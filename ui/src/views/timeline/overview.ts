// The whole time in two bands, hosts above and devices below, with the window that is looked at.

import { pixels } from "../../kit/lod";
import type { Surface } from "../../kit/canvas";
import type { Viewport } from "../../kit/viewport";
import { percent } from "../../format";
import type { Colours } from "./colours";
import { isBase } from "./join";
import { mark } from "./paint";
import type { Slices } from "./relations";
import type { PageTheme } from "./scene";
import { type Union, within, work } from "./sums";

export const OVERVIEW = 52;
const BAND = 18;

/** Busy spans of each rank of the run that is shown; one that is compared with has times of its own. */
export interface Work {
  readonly ranks: ReadonlyMap<number, { host: Union; device: Union }>;
  /** True if short slices are in groups: between them it may have been idle, so shares are at most what they say. */
  readonly isMost: boolean;
}

export function workOfRanks(slices: Slices): Work {
  const { ranks, count } = slices.data;
  return { ranks: new Map(ranks.filter(({ rank }) => !isBase(rank)).map(({ rank }) => [rank, work(slices, rank)])), isMost: count.some((several) => several > 1) };
}

/** Which share of a window ranks worked, in percent, on average; null if there are none with such tracks. */
export function busyShare(busy: Work, of: "host" | "device", from: number, to: number, rank: number | null): number | null {
  let sum = 0;
  let ranks = 0;
  for (const [number, unions] of busy.ranks) {
    if ((rank !== null && busy.ranks.has(rank) && number !== rank) || unions[of].start.length === 0) continue;
    sum += within(unions[of], from, to) / (to - from);
    ranks++;
  }
  return ranks ? (100 * sum) / ranks : null;
}

/** What of the overview does not change with the window. */
export function drawBands(slices: Slices, colours: Colours, busy: Work | null, width: number, ratio: number, whole: { from: number; to: number }): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  const wide = Math.max(1, Math.round(width * ratio));
  canvas.width = wide;
  canvas.height = Math.round(2 * (BAND + 2) * ratio);
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  const size = (whole.to - whole.from) / wide;
  const { lod, data } = slices;
  const drawn = pixels(wide);
  ([false, true] as const).forEach((stream, band) => {
    const cover = new Float32Array(wide);
    const best = new Float32Array(wide);
    const chosen = new Int32Array(wide).fill(-1);
    for (const row of data.rows) {
      // What is called shows better than what calls it what a host did; of streams the first row has all.
      if (isBase(row.track.rank) || row.band !== 1 || row.track.stream !== stream || row.depth > (stream ? 0 : 3)) continue;
      lod.draw(row.from, row.to, whole.from, size, 0, wide, drawn);
      for (let pixel = 0; pixel < wide; pixel++) {
        if (drawn.slice[pixel]! < 0) continue;
        if (drawn.cover[pixel]! >= best[pixel]!) {
          best[pixel] = drawn.cover[pixel]!;
          chosen[pixel] = drawn.slice[pixel]!;
        }
        if (drawn.cover[pixel]! > cover[pixel]!) cover[pixel] = drawn.cover[pixel]!;
      }
    }
    if (busy) {
      for (let pixel = 0; pixel < wide; pixel++) {
        const share = busyShare(busy, stream ? "device" : "host", whole.from + pixel * size, whole.from + (pixel + 1) * size, null);
        cover[pixel] = (share ?? 0) / 100;
      }
    }
    const base = (band + 1) * (BAND + 2) * ratio;
    for (let from = 0; from < wide; ) {
      const height = Math.round(Math.min(1, cover[from]!) * BAND * ratio);
      const kind = chosen[from]! < 0 ? -1 : slices.classOf(chosen[from]!);
      let to = from + 1;
      while (to < wide && Math.round(Math.min(1, cover[to]!) * BAND * ratio) === height && (chosen[to]! < 0 ? -1 : slices.classOf(chosen[to]!)) === kind) to++;
      if (kind >= 0) {
        context.fillStyle = colours.css[kind] ?? "#888";
        context.fillRect(from, base - Math.max(ratio, height), to - from, Math.max(ratio, height));
      }
      from = to;
    }
  });
  return canvas;
}

export function paintOverview(surface: Surface, bands: HTMLCanvasElement, viewport: Viewport, busy: Work | null, { theme, dark, margin }: { theme: PageTheme; dark: boolean; margin: number }, steps: readonly (readonly [number, number, number])[], rank: number | null): void {
  const { context, width, height } = surface;
  context.fillStyle = theme.surface;
  context.fillRect(0, 0, width, height);
  const { from: start, to: end } = viewport.whole;
  const wide = width - margin;
  const x = (time: number) => margin + ((time - start) / (end - start)) * wide;
  context.drawImage(bands, margin, 4, wide, 2 * (BAND + 2));
  context.fillStyle = mark(dark);
  for (const [, from] of steps) context.fillRect(Math.round(x(from)), height - 6, 1, 5);
  const [from, to] = [Math.max(margin, x(viewport.from)), Math.min(width, x(viewport.to))];
  context.fillStyle = theme.surface;
  context.globalAlpha = 0.66;
  context.fillRect(margin, 0, from - margin, height);
  context.fillRect(to, 0, width - to, height);
  context.globalAlpha = 1;
  context.strokeStyle = theme.text;
  context.strokeRect(from + 0.5, 1.5, Math.max(2, to - from - 1), height - 4);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  (["host", "device"] as const).forEach((of, band) => {
    const y = 4 + band * (BAND + 2) + BAND / 2 + 2;
    const share = busy && busyShare(busy, of, viewport.from, viewport.to, rank);
    context.fillStyle = theme.quiet;
    context.fillText(of === "host" ? "hosts" : "devices", 8, y);
    const words = margin < 150 ? "" : " busy";
    context.fillStyle = theme.text;
    context.textAlign = "right";
    if (share !== null) context.fillText(`${busy?.isMost && share > 0 ? "≤ " : ""}${percent(share)}${words}`, margin - 10, y);
    context.textAlign = "left";
  });
}
