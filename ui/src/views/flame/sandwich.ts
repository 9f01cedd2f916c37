// Who calls a function, wherever it is called, and what it calls.

import { type Tree, tree } from "./data";

/** Merges paths of names into a tree. */
class Merger {
  readonly #metrics: number;
  readonly #parent: number[] = [-1];
  readonly #name: number[];
  readonly #kind: number[];
  readonly #own: number[][];
  readonly #base: number[][];
  readonly #children: Map<number, number>[] = [new Map()];

  constructor(name: number, kind: number, metrics: number, hasBase: boolean) {
    this.#metrics = metrics;
    this.#name = [name];
    this.#kind = [kind];
    this.#own = Array.from({ length: metrics }, () => [0]);
    this.#base = hasBase ? Array.from({ length: metrics }, () => [0]) : [];
  }

  /** The child of a frame with a name and kind; made if there is none. */
  child(of: number, name: number, kind: number): number {
    const key = name * 256 + kind;
    const known = this.#children[of]!.get(key);
    if (known !== undefined) return known;
    const made = this.#parent.length;
    this.#children[of]!.set(key, made);
    this.#children.push(new Map());
    this.#parent.push(of);
    this.#name.push(name);
    this.#kind.push(kind);
    for (const columns of [this.#own, this.#base]) for (const column of columns) column.push(0);
    return made;
  }

  add(to: number, own: (metric: number) => number, base: (metric: number) => number): void {
    for (let metric = 0; metric < this.#metrics; metric++) {
      this.#own[metric]![to]! += own(metric);
      if (this.#base.length) this.#base[metric]![to]! += base(metric);
    }
  }

  /** The tree, each frame before its children. */
  finish(id: string): Tree {
    const order: number[] = [];
    const level: number[] = [];
    const open: [number, number][] = [[0, 0]];
    while (open.length) {
      const [frame, depth] = open.pop()!;
      order.push(frame);
      level.push(depth);
      for (const child of [...this.#children[frame]!.values()].reverse()) open.push([child, depth + 1]);
    }
    const pick = (column: number[]) => order.map((frame) => column[frame]!);
    return tree({
      id,
      time: false,
      inverted: id === "callers",
      notes: [],
      level,
      name: pick(this.#name),
      kind: pick(this.#kind),
      grouped: [],
      start: [],
      own: this.#own.map(pick),
      base: this.#base.map(pick),
    });
  }
}

/** What belongs to a frame alone in the run that is compared with. */
function ownBase(of: Tree, metric: number, frame: number): number {
  const base = of.base[metric];
  if (!base) return 0;
  let own = base[frame]!;
  for (let child = frame + 1; child < of.end[frame]!; child = of.end[child]!) own -= base[child]!;
  return own;
}

export interface Sandwich {
  /** The function on top, who called it below. */
  readonly callers: Tree;
  /** The function on top, what it called below. */
  readonly callees: Tree;
  /** How often it stands in the tree, those in itself apart. */
  readonly places: number;
}

/** Both sides of a name. A call of it from within itself is part of the outer one, so nothing counts twice. */
export function sandwich(of: Tree, name: number): Sandwich | null {
  const first = of.name.indexOf(name);
  if (first < 0) return null;
  const metrics = of.own.length;
  const hasBase = of.base.length > 0;
  const make = () => new Merger(name, of.kind[first]!, metrics, hasBase);
  const [callers, callees] = [make(), make()];
  const merged = new Int32Array(of.count).fill(-1);
  let places = 0;
  for (let frame = first; frame < of.count; ) {
    if (of.name[frame] !== name) {
      frame++;
      continue;
    }
    places++;
    merged[frame] = 0;
    const addOwn = (inside: number) => callees.add(merged[inside]!, (metric) => of.own[metric]![inside]!, (metric) => ownBase(of, metric, inside));
    addOwn(frame);
    for (let inside = frame + 1; inside < of.end[frame]!; inside++) {
      merged[inside] = callees.child(merged[of.parent[inside]!]!, of.name[inside]!, of.kind[inside]!);
      addOwn(inside);
    }
    let at = 0;
    for (let around = of.parent[frame]!; around > 0; around = of.parent[around]!) at = callers.child(at, of.name[around]!, of.kind[around]!);
    const total = frame;
    callers.add(at, (metric) => of.total[metric]![total]!, (metric) => of.base[metric]?.[total] ?? 0);
    frame = of.end[frame]!;
  }
  return { callers: callers.finish("callers"), callees: callees.finish("callees"), places };
}
