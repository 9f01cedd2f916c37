// Where frames are, in units of the metric; and by level, so that a picture costs its pixels.

import { Lod } from "../../kit/lod";
import { ROOT_KIND, type Tree } from "./data";

/** Whose amounts make the width: of both runs together, of this one, of the one that is compared with. */
export type Width = "both" | "new" | "base";

export interface Layout {
  readonly tree: Tree;
  readonly left: Float64Array;
  readonly width: Float64Array;
  /** Frames with a width, level after level from left to right. */
  readonly frames: Int32Array;
  /** Where each level begins in them, and the end of the last. */
  readonly levels: Int32Array;
  /** The place of each frame in them, or -1. */
  readonly place: Int32Array;
  readonly lod: Lod;
}

export function weights(tree: Tree, metric: number, width: Width): Float64Array {
  const now = tree.total[metric]!;
  const before = tree.base[metric];
  if (!before || width === "new") return now;
  return width === "base" ? before : now.map((value, frame) => value + before[frame]!);
}

/** Children in the order they are drawn: of time, else the widest first and what stands for many small ones last. */
function ordered(tree: Tree, frame: number, width: Float64Array, smallKind: number, into: number[]): number[] {
  into.length = 0;
  for (let child = frame + 1; child < tree.end[frame]!; child = tree.end[child]!) into.push(child);
  if (!tree.time && into.length > 1) {
    const last = (child: number) => Number(tree.kind[child] === smallKind);
    into.sort((a, b) => last(a) - last(b) || width[b]! - width[a]! || a - b);
  }
  return into;
}

/** Widths and starts of ranks and threads whose host time is drawn where it was. */
function byClock(tree: Tree, width: Float64Array): { begin: Float64Array; beside: Uint8Array } {
  const begin = tree.start.slice();
  // Frames whose children stand beside each other: those that hold ranks and threads.
  const beside = new Uint8Array(tree.count);
  beside[0] = 1;
  for (let frame = 1; frame < tree.count; frame++) if (tree.kind[frame] === ROOT_KIND) beside[tree.parent[frame]!] = 1;
  for (let frame = tree.count - 1; frame >= 0; frame--) {
    if (tree.kind[frame] !== ROOT_KIND) continue;
    let [sum, first, last] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let child = frame + 1; child < tree.end[frame]!; child = tree.end[child]!) {
      if (!(width[child]! > 0)) continue;
      sum += width[child]!;
      first = Math.min(first, begin[child]!);
      last = Math.max(last, begin[child]! + width[child]!);
    }
    if (beside[frame]) width[frame] = sum;
    else if (sum === 0) width[frame] = 0;
    else {
      begin[frame] = first;
      width[frame] = last - first;
    }
  }
  return { begin, beside };
}

/** `cpu` is the metric of host time, `smallKind` the kind of frames that stand for many. */
export function layOut(tree: Tree, metric: number, wanted: Width, cpu: number, smallKind: number): Layout {
  const width = weights(tree, metric, wanted).slice();
  const left = new Float64Array(tree.count);
  const clock = tree.time && metric === cpu ? byClock(tree, width) : null;
  const frames = new Int32Array(tree.count);
  const place = new Int32Array(tree.count).fill(-1);
  const levels = [0];
  let count = 0;
  const add = (frame: number) => {
    place[frame] = count;
    frames[count++] = frame;
  };
  if (tree.count > 0 && width[0]! > 0) add(0);
  const children: number[] = [];
  for (let from = 0; from < count; ) {
    const to = count;
    levels.push(to);
    for (let at = from; at < to; at++) {
      const frame = frames[at]!;
      let next = left[frame]!;
      const beside = !clock || clock.beside[frame] === 1;
      for (const child of ordered(tree, frame, width, smallKind, children)) {
        left[child] = beside ? next : left[frame]! + Math.max(0, clock.begin[child]! - clock.begin[frame]!);
        next += width[child]!;
        if (width[child]! > 0) add(child);
      }
    }
    from = to;
  }
  const drawn = frames.subarray(0, count);
  const start = Float64Array.from(drawn, (frame) => left[frame]!);
  const busy = Float64Array.from(drawn, (frame) => width[frame]!);
  const end = start.map((value, at) => value + busy[at]!);
  return { tree, left, width, frames: drawn, levels: Int32Array.from(levels), place, lod: new Lod({ start, end, busy }) };
}

/** How many levels have frames. */
export function depth(layout: Layout): number {
  return layout.levels.length - 1;
}

/** The frame at a level and a place of the axis; -1 if there is none. */
export function frameAt(layout: Layout, level: number, value: number): number {
  if (level < 0 || level >= depth(layout)) return -1;
  const [from, to] = [layout.levels[level]!, layout.levels[level + 1]!];
  const at = layout.lod.after(from, to, value);
  return at < to && layout.lod.spans.start[at]! <= value ? layout.frames[at]! : -1;
}

/** What is in frames whose names match, below a frame; one in another counts once. */
export function sumMatches(layout: Layout, below: number, matches: (name: number) => boolean): { frames: number; sum: number } {
  const { tree, width } = layout;
  let [frames, sum, until] = [0, 0, 0];
  for (let frame = below; frame < tree.end[below]!; frame++) {
    if (!(width[frame]! > 0) || !matches(tree.name[frame]!)) continue;
    frames++;
    if (frame < until) continue;
    sum += width[frame]!;
    until = tree.end[frame]!;
  }
  return { frames, sum };
}
