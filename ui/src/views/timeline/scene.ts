// What one picture is made of, and where things are in it.

import type { Surface } from "../../kit/canvas";
import type { Viewport } from "../../kit/viewport";
import type { Colours } from "./colours";
import { type Layout, type Line, lineAt, type RowLine, ROW } from "./layout";
import type { Slices } from "./relations";
import type { Bright, Strip } from "./strip";

/** Height of the axis above the rows. */
export const AXIS = 30;

/** Colours of the page that a picture is drawn with. */
export const THEME = ["surface", "raised", "text", "quiet", "line", "link"] as const;
export type PageTheme = Readonly<Record<(typeof THEME)[number], string>>;

/** A rectangle of time and rows that is selected. Times are those of the picture. */
export interface Area {
  readonly from: number;
  readonly to: number;
  /** Keys of the rows. */
  readonly keys: ReadonlySet<string>;
}

export interface Scene extends Surface {
  readonly dark: boolean;
  readonly theme: PageTheme;
  readonly colours: Colours;
  readonly viewport: Viewport;
  readonly slices: Slices;
  readonly strip: Strip;
  readonly lit: Bright | null;
  /** Which entries stay bright. */
  readonly wanted: Uint8Array | null;
  /** Width of the margin with the names. */
  readonly margin: number;
  /** How far the rows are scrolled. */
  readonly top: number;
  readonly pinned: Layout;
  readonly scrolling: Layout;
  /** How much later a rank is than it is drawn, by rank: steps are aligned so. */
  readonly offsets: ReadonlyMap<number, number>;
}

export function offset(scene: Pick<Scene, "offsets">, rank: number): number {
  return scene.offsets.get(rank) ?? 0;
}

/** Where a time of a rank is. */
export function xOf(scene: Pick<Scene, "margin" | "viewport" | "offsets">, time: number, rank: number): number {
  return scene.margin + scene.viewport.toPixel(time - offset(scene, rank));
}

/** The time of a rank at a place. */
export function timeAt(scene: Pick<Scene, "margin" | "viewport" | "offsets">, x: number, rank: number): number {
  return scene.viewport.toAxis(x - scene.margin) + offset(scene, rank);
}

/** Where the rows that scroll begin. */
export function scrollTop(scene: Pick<Scene, "pinned">): number {
  return AXIS + scene.pinned.height;
}

/** The height at which a row is drawn; undefined if its track is folded or hidden. */
export function yOf(scene: Pick<Scene, "pinned" | "scrolling" | "top">, key: string): number | undefined {
  const pinned = scene.pinned.lineOf.get(key);
  if (pinned) return AXIS + pinned.y;
  const line = scene.scrolling.lineOf.get(key);
  return line ? scrollTop(scene) + line.y - scene.top : undefined;
}

/** The line at a place of the canvas. */
export function lineAtY(scene: Pick<Scene, "pinned" | "scrolling" | "top">, y: number): Line | undefined {
  if (y < AXIS) return undefined;
  const below = scrollTop(scene);
  return y < below ? lineAt(scene.pinned.lines, y - AXIS) : lineAt(scene.scrolling.lines, y - below + scene.top);
}

/** Lines in sight with the heights they are drawn at. */
export function inSight(scene: Scene, layout: Layout, base: number, least: number): { line: Line; y: number }[] {
  const found: { line: Line; y: number }[] = [];
  for (const line of layout.lines) {
    const y = base + line.y;
    if (y + line.size > least && y < scene.height) found.push({ line, y });
  }
  return found;
}

/** The entry at a place, and its row. */
export function entryAt(scene: Omit<Scene, keyof Surface>, x: number, y: number): { entry: number; line: RowLine } | undefined {
  const line = lineAtY(scene, y);
  if (line?.kind !== "row" || x < scene.margin) return undefined;
  const row = scene.slices.rowByKey.get(line.key);
  if (!row) return undefined;
  const slack = (2 * scene.viewport.length) / scene.viewport.width;
  const entry = scene.slices.at(row, timeAt(scene, x, line.rank), slack);
  return entry < 0 ? undefined : { entry, line };
}

/** The rows that a rectangle touches. */
export function keysBetween(scene: Pick<Scene, "pinned" | "scrolling" | "top">, y0: number, y1: number): Set<string> {
  const keys = new Set<string>();
  const [least, most] = [Math.min(y0, y1), Math.max(y0, y1)];
  for (const key of [...scene.pinned.lineOf.keys(), ...scene.scrolling.lineOf.keys()]) {
    const y = yOf(scene, key) ?? -1;
    const covered = scene.pinned.lineOf.has(key) ? AXIS : scrollTop(scene);
    if (y + ROW > Math.max(least, covered) && y < most) keys.add(key);
  }
  return keys;
}
