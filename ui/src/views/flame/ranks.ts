// The calls of one rank, out of a page that holds those of all.

import { type FlameData, ROOT_KIND, type ViewData } from "./data";

/** Frames of a rank stand right below the root, in all orders but the inverted one. */
function framesOf(view: ViewData, names: readonly string[], rank: number): number[] {
  const found: number[] = [];
  for (let frame = 1; frame < view.level.length; frame++) {
    const name = names[view.name[frame]!] ?? "";
    if (view.level[frame] === 1 && view.kind[frame] === ROOT_KIND && (name === `rank ${rank}` || name.startsWith(`rank ${rank} (`))) found.push(frame);
  }
  return found;
}

/** True if the page tells ranks apart. */
function hasRanks({ views, names }: FlameData): boolean {
  const first = views.find((view) => !view.inverted);
  return !!first && first.level.some((level, frame) => level === 1 && first.kind[frame] === ROOT_KIND && /^rank -?\d+/.test(names[first.name[frame]!] ?? ""));
}

function narrowed(view: ViewData, kept: readonly number[]): ViewData {
  // The root stays, without what it has of its own: that is nobody's.
  const frames = [0];
  for (const first of kept) {
    frames.push(first);
    for (let frame = first + 1; frame < view.level.length && view.level[frame]! > 1; frame++) frames.push(frame);
  }
  const pick = <Value>(column: readonly Value[]) => (column.length ? frames.map((frame) => column[frame]!) : []);
  const places = new Map(frames.map((frame, place) => [frame, place]));
  return {
    ...view,
    level: pick(view.level),
    name: pick(view.name),
    kind: pick(view.kind),
    start: pick(view.start),
    own: view.own.map(pick),
    base: view.base.map(pick),
    grouped: view.grouped.flatMap(([frame, count]): [number, number][] => (places.has(frame) ? [[places.get(frame)!, count]] : [])),
  };
}

/** What cannot be taken apart is left out: callers of the inverted order are those of all ranks. */
export function ofRank(data: FlameData, rank: number): FlameData {
  if (!hasRanks(data)) return data;
  const views = data.views.filter((view) => !view.inverted).map((view) => narrowed(view, framesOf(view, data.names, rank)));
  return { ...data, views: views.filter((view) => view.level.length > 1) };
}
