// The trees of a flame graph: columns, each frame before its children. `crates/present/src/flame/html.rs` writes them.

export interface Kind {
  label: string;
  light: string;
  dark: string;
  gpu: boolean;
}

/** Changes up to `most`, as a share of the larger amount, have this colour. */
export interface Change {
  most: number;
  fill: string;
  text: string;
}

export interface Metric {
  id: string;
  title: string;
  unit: string | null;
}

export interface ViewData {
  id: string;
  title: string;
  time: boolean;
  inverted: boolean;
  notes: string[];
  level: number[];
  name: number[];
  kind: number[];
  grouped: [place: number, count: number][];
  start: number[];
  own: number[][];
  base: number[][];
}

export interface FlameData {
  inputs: string[];
  names: string[];
  kinds: Kind[];
  changes: Change[];
  metrics: Metric[];
  metric: number;
  views: ViewData[];
}

/** The kind of ranks and threads. */
export const ROOT_KIND = 0;

/** A tree with what drawing needs of it. Children of a frame begin behind it, each where the one before ends. */
export interface Tree {
  readonly id: string;
  readonly count: number;
  readonly time: boolean;
  readonly inverted: boolean;
  readonly notes: readonly string[];
  readonly level: Int32Array;
  readonly name: Int32Array;
  readonly kind: Uint8Array;
  /** -1 for the root. */
  readonly parent: Int32Array;
  /** One more than the last frame inside. */
  readonly end: Int32Array;
  /** When it began; 0 if the order is not that of time. */
  readonly start: Float64Array;
  /** By metric: what belongs to it alone, and with all frames in it. */
  readonly own: readonly Float64Array[];
  readonly total: readonly Float64Array[];
  /** Totals of the run that is compared with; empty without one. */
  readonly base: readonly Float64Array[];
  /** How many small frames a frame stands for. */
  readonly grouped: ReadonlyMap<number, number>;
}

/** Sums of frames and all in them. */
function totals(own: Float64Array, parent: Int32Array): Float64Array {
  const total = own.slice();
  for (let frame = total.length - 1; frame > 0; frame--) total[parent[frame]!]! += total[frame]!;
  return total;
}

export interface Columns {
  id: string;
  time: boolean;
  inverted: boolean;
  notes: readonly string[];
  level: ArrayLike<number>;
  name: ArrayLike<number>;
  kind: ArrayLike<number>;
  grouped: readonly (readonly [number, number])[];
  start: ArrayLike<number>;
  own: readonly ArrayLike<number>[];
  base: readonly ArrayLike<number>[];
}

export function tree(view: Columns): Tree {
  const count = view.level.length;
  const level = Int32Array.from(view.level);
  const parent = new Int32Array(count);
  const end = new Int32Array(count);
  const start = new Float64Array(count);
  const open: number[] = [];
  for (let frame = 0; frame < count; frame++) {
    // A frame is at most one level below the one before.
    const depth = Math.min(level[frame]!, open.length);
    while (open.length > depth) end[open.pop()!] = frame;
    parent[frame] = depth ? open[depth - 1]! : -1;
    if (view.time && frame > 0) start[frame] = start[parent[frame]!]! + view.start[frame]!;
    open.push(frame);
  }
  while (open.length) end[open.pop()!] = count;
  const own = view.own.map((column) => Float64Array.from(column));
  const hasBase = (view.base[0]?.length ?? 0) > 0;
  return {
    id: view.id,
    count,
    time: view.time,
    inverted: view.inverted,
    notes: view.notes,
    level,
    name: Int32Array.from(view.name),
    kind: Uint8Array.from(view.kind),
    parent,
    end,
    start,
    own,
    total: own.map((column) => totals(column, parent)),
    base: hasBase ? view.base.map((column) => totals(Float64Array.from(column), parent)) : [],
    grouped: new Map(view.grouped),
  };
}

/** Reads the data of a page. */
export function read(bytes: ArrayBuffer): FlameData {
  const data = JSON.parse(new TextDecoder().decode(bytes)) as FlameData;
  if (!Array.isArray(data.views) || !Array.isArray(data.names)) throw new Error("the flame graph data was written by another eaves version");
  return data;
}
