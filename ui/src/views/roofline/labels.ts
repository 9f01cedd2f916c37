// Names beside points, none over another, over a mark, a text or a roof. Those that find no place are left out.

/** Left, top, right, bottom. */
export type Box = readonly [number, number, number, number];
export type Line = readonly [x1: number, y1: number, x2: number, y2: number];

/** A name that wants to stand near a point; the first wishes have the best places. */
export interface Wish {
  index: number;
  x: number;
  y: number;
  radius: number;
  text: string;
  width: number;
}

export interface Placed {
  index: number;
  text: string;
  box: Box;
  /** From the point to a name that stands far from it. */
  leader: Line | null;
}

export interface Surroundings {
  texts: readonly Box[];
  marks: readonly { x: number; y: number; radius: number }[];
  lines: readonly Line[];
  /** How many marks a name may cover, where there are too many to avoid. */
  mayCover: number;
}

export const HEIGHT = 13;
const GAP = 2;
const DISTANCES = [4, 12, 24, 42, 64];
/** Directions in twelfths of a turn, the best first: right, left, above, below, between. */
const DIRECTIONS = [0, 6, 11, 1, 7, 5, 9, 3, 10, 2, 8, 4];

export function overlap(a: Box, b: Box): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

/** True if a line goes through a box (Liang and Barsky, 1984). */
export function crosses([x1, y1, x2, y2]: Line, box: Box): boolean {
  let first = 0;
  let last = 1;
  const [dx, dy] = [x2 - x1, y2 - y1];
  for (const [step, room] of [
    [-dx, x1 - box[0]],
    [dx, box[2] - x1],
    [-dy, y1 - box[1]],
    [dy, box[3] - y1],
  ] as const) {
    if (step === 0) {
      if (room < 0) return false;
    } else if (step < 0) first = Math.max(first, room / step);
    else last = Math.min(last, room / step);
  }
  return first <= last;
}

const CELL = 48;

/** Marks by the squares of a grid they touch, so that a question looks at few of them. */
class Grid {
  private readonly cells = new Map<number, number[]>();
  /** The question that counted a mark last: one that touches several squares counts once. */
  private readonly asked: Int32Array;
  private question = 0;

  constructor(private readonly marks: Surroundings["marks"]) {
    this.asked = new Int32Array(marks.length);
    marks.forEach(({ x, y, radius }, index) => {
      for (let column = Math.floor((x - radius) / CELL); column <= Math.floor((x + radius) / CELL); column += 1) {
        for (let row = Math.floor((y - radius) / CELL); row <= Math.floor((y + radius) / CELL); row += 1) {
          const key = column * 4096 + row;
          const cell = this.cells.get(key);
          if (cell) cell.push(index);
          else this.cells.set(key, [index]);
        }
      }
    });
  }

  /** How many marks a box touches; counting ends above `most`. */
  touched([left, top, right, bottom]: Box, most: number): number {
    this.question += 1;
    let count = 0;
    for (let column = Math.floor(left / CELL); column <= Math.floor(right / CELL); column += 1) {
      for (let row = Math.floor(top / CELL); row <= Math.floor(bottom / CELL); row += 1) {
        for (const index of this.cells.get(column * 4096 + row) ?? []) {
          const mark = this.marks[index];
          if (!mark || this.asked[index] === this.question) continue;
          const { x, y, radius } = mark;
          if (left >= x + radius || x - radius >= right || top >= y + radius || y - radius >= bottom) continue;
          this.asked[index] = this.question;
          count += 1;
          if (count > most) return count;
        }
      }
    }
    return count;
  }
}

function candidate(wish: Wish, distance: number, direction: number, bounds: Box): { box: Box; leader: Line | null } {
  const angle = (direction * Math.PI) / 6;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const reach = wish.radius + distance;
  const [x, y] = [wish.x + cos * reach, wish.y + sin * reach];
  let left = x;
  if (cos < -0.1) left = x - wish.width;
  // At an edge a name above or below its point moves inwards.
  else if (cos <= 0.1) left = Math.max(bounds[0], Math.min(x - wish.width / 2, bounds[2] - wish.width));
  let top = y - HEIGHT / 2 + (sin * HEIGHT) / 2;
  if (sin > 0.9) top = y;
  else if (sin < -0.9) top = y - HEIGHT;
  const box: Box = [left, top, left + wish.width, top + HEIGHT];
  const edge = wish.radius + 1;
  const leader: Line | null =
    distance > 12
      ? [
          wish.x + cos * edge,
          wish.y + sin * edge,
          Math.max(box[0], Math.min(x, box[2])),
          Math.max(box[1], Math.min(y, box[3])),
        ]
      : null;
  return { box, leader };
}

/** Places names one after the other; at most `most` of them. */
export function place(wishes: readonly Wish[], around: Surroundings, bounds: Box, most = Infinity): Placed[] {
  const marks = new Grid(around.marks);
  const placed: Placed[] = [];
  const free = (box: Box, leader: Line | null): boolean => {
    if (box[0] < bounds[0] || box[1] < bounds[1] || box[2] > bounds[2] || box[3] > bounds[3]) return false;
    const wide: Box = [box[0] - GAP, box[1] - GAP, box[2] + GAP, box[3] + GAP];
    const bad = (text: Box): boolean => overlap(text, wide) || (leader !== null && crosses(leader, text));
    if (around.texts.some(bad)) return false;
    return !placed.some((other) => bad(other.box) || (other.leader !== null && crosses(other.leader, box)));
  };
  for (const wish of wishes) {
    if (placed.length >= most) break;
    let best: { cost: number; box: Box; leader: Line | null } | null = null;
    for (const [ring, distance] of DISTANCES.entries()) {
      // A place further away is never better than a good one near.
      if (best && best.cost <= ring) break;
      for (const [preference, direction] of DIRECTIONS.entries()) {
        const { box, leader } = candidate(wish, distance, direction, bounds);
        let cost = ring + preference * 0.08;
        if ((best && cost >= best.cost) || !free(box, leader)) continue;
        // Its own mark is never below its own name: the name keeps its distance from it.
        const covered = marks.touched(box, around.mayCover);
        if (covered > around.mayCover) continue;
        cost += covered * 0.8;
        for (const line of around.lines) if (crosses(line, box)) cost += 2.2;
        if (!best || cost < best.cost) best = { cost, box, leader };
      }
    }
    if (best) placed.push({ index: wish.index, text: wish.text, box: best.box, leader: best.leader });
  }
  return placed;
}
