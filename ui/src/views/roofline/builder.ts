// Draws a chart step by step, so that later texts keep away from earlier ones.

import { shorten } from "../../kit/names";
import type { Frame, Measure, SceneLine, SceneText, Spec, Whole, Window } from "./drawing";
import { type Box, type Line, overlap, place, type Placed, type Wish } from "./labels";
import { type Span, type Tick, ticks } from "./scale";

const BAND = { from: 54, width: 50 };
/** How far from the end of the axis points stand that are beyond it. */
const EDGE = 12;

export class Builder {
  readonly lines: SceneLine[] = [];
  readonly texts: SceneText[] = [];
  readonly taken: Box[] = [];
  readonly roofs: Line[] = [];
  /** Where marks stand: names of roofs keep away from them if they can. */
  private readonly marks: Box[] = [];
  constructor(
    readonly spec: Spec,
    readonly window: Window,
    readonly whole: Whole,
    readonly frame: Frame,
    readonly measure: Measure,
  ) {}

  px(x: number): number {
    const { left, right } = this.frame;
    const [low, high] = this.window.x;
    return left + ((Math.log10(x) - low) / (high - low)) * (right - left);
  }
  py(y: number, [low, high]: Span = this.window.y): number {
    const { top, bottom } = this.frame;
    return bottom - ((Math.log10(y) - low) / (high - low)) * (bottom - top);
  }
  line(kind: string, d: string, clipped = false, colour?: string): void {
    this.lines.push({ class: kind, d, clipped, colour });
  }
  text(kind: string, x: number, y: number, text: string, anchor: SceneText["anchor"], angle?: number): void {
    this.texts.push({ class: kind, x, y, text, anchor, ...(angle === undefined ? {} : { angle }) });
  }
  /** A text where nothing else is. */
  write(text: string, x: number, y: number, anchor: "start" | "end", kind = "halo", clear = false): boolean {
    const { frame } = this;
    const width = this.measure(text);
    const start = anchor === "end" ? x - width : x;
    const box: Box = [start, y - 10, start + width, y + 3];
    const inside = box[0] >= frame.left && box[2] <= frame.right && box[1] >= frame.top - 5 && box[3] <= frame.bottom;
    if (!inside || this.taken.some((other) => overlap(other, box)) || (clear && this.marks.some((other) => overlap(other, box)))) return false;
    this.taken.push(box);
    this.text(kind, x, y, text, anchor);
    return true;
  }

  axes(): void {
    const { spec, frame, window } = this;
    const { left, right, top, bottom } = frame;
    const across = ticks(window.x, right - left, 52);
    const upwards = ticks(window.y, bottom - top, 28);
    const gx = (tick: Tick): string => `M${this.px(tick.value).toFixed(1)} ${top}V${bottom}`;
    const gy = (tick: Tick): string => `M${left} ${this.py(tick.value).toFixed(1)}H${right}`;
    for (const named of [false, true]) {
      const chosen = (tick: Tick): boolean => tick.named === named;
      this.line(named ? "grid" : "minor", [...across.filter(chosen).map(gx), ...upwards.filter(chosen).map(gy)].join("") || "M0 0");
    }
    for (const tick of across) if (tick.named) this.text("dim", this.px(tick.value), bottom + 15, spec.xText(tick.value), "middle");
    for (const tick of upwards) if (tick.named) this.text("dim", left - 6, this.py(tick.value) + 4, spec.yText(tick.value), "end");
    this.text("axis", (left + right) / 2, bottom + 33, spec.xName, "middle");
    this.text("axis", left - 46, (top + bottom) / 2, spec.yName, "middle", -90);
    this.strips();
  }

  private strips(): void {
    const { spec, frame, whole } = this;
    const { right, top, bottom } = frame;
    if (whole.band) {
      const { from, width } = BAND;
      this.line("zone", `M${from} ${top}h${width}V${bottom}h${-width}z`);
      for (const tick of ticks(whole.band, bottom - top, 28)) {
        if (!tick.named) continue;
        const y = this.py(tick.value, whole.band);
        this.line("grid", `M${from} ${y.toFixed(1)}h${width}`);
        this.text("dim", from - 5, y + 4, spec.yText(tick.value), "end");
      }
      const main = spec.slopes.find((slope) => slope.main);
      if (main) this.line("solid", `M${from} ${this.py(main.rate, whole.band).toFixed(1)}h${width}`);
      this.text("dim", from + width / 2, bottom + 15, "no arithmetic", "middle");
      this.text("axis", from + width / 2, bottom + 33, "B/s", "middle");
    }
    if (whole.still) {
      this.line("zone", `M${right + 8} ${top}h46V${bottom}h-46z`);
      this.text("dim", right + 31, bottom + 15, "∞", "middle");
      this.text("axis", right + 31, bottom + 33, "no bytes", "middle");
    }
  }

  /** What bounds where: tinted left of the knee of the highest peak and main memory, and right of it. */
  zones(): void {
    const { spec, frame } = this;
    const main = spec.slopes.find((slope) => slope.main && !slope.measured);
    const highest = Math.max(0, ...spec.plateaus.filter((plateau) => !plateau.measured).map((plateau) => plateau.rate));
    if (!main || !highest) return;
    const knee = this.px(highest / main.rate);
    const y = this.py(highest);
    const low = 10 ** this.window.x[0];
    this.line("zone-memory", `M${frame.left} ${frame.bottom}L${frame.left} ${this.py(low * main.rate)}L${knee} ${y}V${frame.bottom}z`, true);
    this.line("zone-compute", `M${knee} ${y}H${Math.max(knee, frame.right)}V${frame.bottom}H${knee}z`, true);
  }

  plateaus(): void {
    const { spec, frame } = this;
    const { left, right } = frame;
    const main = spec.slopes.find((slope) => slope.main);
    const fastest = Math.max(0, ...spec.slopes.map((slope) => slope.rate));
    for (const plateau of [...spec.plateaus].sort((a, b) => b.rate - a.rate)) {
      const y = this.py(plateau.rate);
      const knee = main ? this.px(plateau.rate / main.rate) : left;
      if (main && fastest > main.rate) this.line("dots", `M${this.px(plateau.rate / fastest).toFixed(1)} ${y.toFixed(1)}H${knee.toFixed(1)}`, true);
      const start = Math.max(left, knee);
      if (start >= right) continue;
      this.line(plateau.measured ? "measured" : plateau.unverified ? "solid unverified" : "solid", `M${knee.toFixed(1)} ${y.toFixed(1)}H${right}`, true, plateau.colour);
      this.roofs.push([start, y, right, y]);
      const ends = [0, 0.25, 0.5, 0.75].map((share) => right - 6 - share * (right - start));
      const isClear = ends.some((x) => this.write(plateau.name, x, y - 5, "end", "halo", true) || this.write(plateau.name, x, y + 14, "end", "halo", true));
      if (!isClear && !this.write(plateau.name, right - 6, y - 5, "end")) this.write(plateau.name, right - 6, y + 14, "end");
      if (main && !plateau.measured && y > frame.top && y < frame.bottom && knee > left) {
        this.line("knot", `M${knee - 3.6} ${y}l3.6 -3.6l3.6 3.6l-3.6 3.6z`);
        this.write(`${spec.xText(plateau.rate / main.rate)} ${spec.knee}`, knee - 8, y - 6, "end", "halo quiet");
      }
    }
  }

  slopes(): void {
    const { spec, frame, window } = this;
    const highest = Math.max(0, ...spec.plateaus.map((plateau) => plateau.rate)) || Infinity;
    const rise = (frame.bottom - frame.top) / (window.y[1] - window.y[0]);
    const run = (frame.right - frame.left) / (window.x[1] - window.x[0]);
    const angle = (Math.atan2(-rise, run) * 180) / Math.PI;
    for (const slope of spec.slopes) {
      const log = Math.log10(slope.rate);
      const start = Math.max(window.x[0], window.y[0] - log);
      const end = Math.min(window.x[1], Math.log10(highest) - log, window.y[1] - log);
      if (start >= end) continue;
      const spot = (x: number): [number, number] => [this.px(10 ** x), this.py(10 ** (x + log))];
      const [from, to] = [spot(start), spot(end)];
      const kind = slope.measured ? "measured" : !slope.main ? "dash" : slope.unverified ? "solid unverified" : "solid";
      this.line(kind, `M${from.map((one) => one.toFixed(1)).join(" ")}L${to.map((one) => one.toFixed(1)).join(" ")}`, true);
      this.roofs.push([...from, ...to]);
      this.along(slope.name, from, to, angle);
    }
  }

  /** A text along a slope, whose room is kept free of names. */
  private along(text: string, from: [number, number], to: [number, number], angle: number): void {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    const width = this.measure(text);
    if (length < width + 24) return;
    const at = (share: number): [number, number] => [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
    const shares = [0.12, 0.25, 0.4, 0.04, 0.55, 0.7];
    // First where no mark is, then anywhere.
    for (const [share, clear] of [...shares.map((one) => [one, true] as const), ...shares.map((one) => [one, false] as const)]) {
      if (share + width / length > 1) continue;
      const boxes = Array.from({ length: 9 }, (_, piece): Box => {
        const [x, y] = at(share + ((piece / 8) * width) / length);
        return [x - 12, y - 20, x + 9, y + 3];
      });
      const others = clear ? [...this.taken, ...this.marks] : this.taken;
      if (boxes.some((box) => others.some((other) => overlap(other, box)))) continue;
      this.taken.push(...boxes);
      const [x, y] = at(share);
      const radians = (angle * Math.PI) / 180;
      this.text("halo", x + 5 * Math.sin(radians), y - 5 * Math.cos(radians), text, "start", angle);
      return;
    }
  }

  /** Where each spot stands. */
  positions(): (readonly [number, number] | null)[] {
    const { frame, whole } = this;
    return this.spec.spots.map((spot, index) => {
      if (spot.hidden) return null;
      // Across a strip there is no scale; numbers spread what would lie on top of each other.
      const aside = (((index * 0.618034) % 1) - 0.5) * 28;
      if (spot.strip === "copies") return whole.band ? [BAND.from + BAND.width / 2 + aside, this.py(spot.y, whole.band)] : null;
      const y = this.py(spot.y);
      const there = spot.strip === "still" ? frame.right + 31 + aside : spot.x === null ? Number.NaN : this.px(spot.x);
      // What the axis leaves out stands at its end; a part that was zoomed to has no such points.
      const x = this.isWhole && spot.strip === undefined ? Math.max(frame.left + EDGE, Math.min(frame.right - EDGE, there)) : there;
      const inside = y >= frame.top && y <= frame.bottom && (spot.strip !== undefined || (x >= frame.left && x <= frame.right));
      return inside ? [x, y] : null;
    });
  }

  private get isWhole(): boolean {
    return this.window.x[0] === this.whole.x[0] && this.window.x[1] === this.whole.x[1];
  }

  keepClear(at: readonly (readonly [number, number] | null)[]): void {
    at.forEach((where, index) => {
      const radius = this.spec.spots[index]?.radius ?? 0;
      if (where) this.marks.push([where[0] - radius, where[1] - radius, where[0] + radius, where[1] + radius]);
    });
  }

  /** Says of points at the end of the axis where they are. */
  edges(at: readonly (readonly [number, number] | null)[]): void {
    if (!this.isWhole) return;
    this.spec.spots.forEach((spot, index) => {
      const where = at[index];
      if (!where || spot.strip !== undefined || spot.x === null || Math.abs(this.px(spot.x) - where[0]) < 1) return;
      const isLeft = this.px(spot.x) < where[0];
      const text = isLeft ? `‹ ${this.spec.xText(spot.x)}` : `${this.spec.xText(spot.x)} ›`;
      this.write(text, where[0] + (isLeft ? -EDGE + 3 : EDGE - 3), where[1] - spot.radius - 3, isLeft ? "start" : "end", "halo quiet");
    });
  }

  /** Arrows from what was moved to what had to be. */
  gaps(at: readonly (readonly [number, number] | null)[], chosen: ReadonlySet<number>): void {
    if (!this.spec.gaps) return;
    const shown = this.spec.spots.flatMap((spot, index) =>
      at[index] && spot.x !== null && spot.ideal !== null && Math.abs(spot.ideal / spot.x - 1) > 0.05 ? [index] : [],
    );
    for (const index of shown.length > 60 ? shown.filter((one) => chosen.has(one)) : shown) {
      const spot = this.spec.spots[index];
      const from = at[index];
      if (!spot?.ideal || !from) continue;
      const [x, y] = from;
      const to = this.px(spot.ideal);
      const sign = to > x ? 1 : -1;
      this.taken.push([Math.min(x, to), y - 4, Math.max(x, to), y + 4]);
      // A short arrow starts inside its mark: it is drawn on top.
      const start = Math.abs(to - x) > spot.radius + 8 ? x + sign * spot.radius : x;
      this.line("waste", `M${start.toFixed(1)} ${y.toFixed(1)}H${to.toFixed(1)}`, true);
      this.line("waste-head", `M${(to - sign * 6).toFixed(1)} ${(y - 3.5).toFixed(1)}L${to.toFixed(1)} ${y.toFixed(1)}L${(to - sign * 6).toFixed(1)} ${(y + 3.5).toFixed(1)}`, true);
    }
  }

  /** Arrows from where points were in another run, with how much longer they take now; of many, those with most weight. */
  trails(at: readonly (readonly [number, number] | null)[], chosen: ReadonlySet<number>): void {
    const MOST = 40;
    const { before, spots } = this.spec;
    if (!before) return;
    const weight = (index: number): number => (chosen.has(index) ? Infinity : (spots[index]?.weight ?? 0));
    const shown = before.flatMap((was, index) => (was && at[index] && !spots[index]?.dim ? [index] : []));
    for (const index of shown.sort((a, b) => weight(b) - weight(a)).slice(0, MOST)) {
      const [was, to, spot] = [before[index], at[index], spots[index]];
      if (!was || !to || !spot) continue;
      const from = [this.px(was.x), this.py(was.y)] as const;
      const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
      // What stands where it stood has no arrow.
      if (length >= 4) {
        const [dx, dy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
        const point = (along: number, aside: number) => `${(to[0] - along * dx - aside * dy).toFixed(1)} ${(to[1] - along * dy + aside * dx).toFixed(1)}`;
        const end = length > spot.radius + 8 ? spot.radius : 0;
        this.line("moved-from", `M${(from[0] - 3).toFixed(1)} ${from[1].toFixed(1)}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z`, true);
        this.line("moved", `M${from.map((one) => one.toFixed(1)).join(" ")}L${point(end, 0)}`, true);
        this.line("moved-head", `M${point(end + 6, 3.5)}L${point(end, 0)}L${point(end + 6, -3.5)}`, true);
      }
      const tone = was.text.startsWith("-") ? " better" : was.text.startsWith("+") ? " worse" : "";
      if (was.text) this.write(was.text, (from[0] + to[0]) / 2 + 6, (from[1] + to[1]) / 2 + 3, "start", `halo${tone}`);
    }
  }

  /** Lines through the places of points in the steps, from the first to the last: of those that are chosen, else of a few with most weight. */
  stepTrails(at: readonly (readonly [number, number] | null)[], chosen: ReadonlySet<number>): void {
    const FEW = 5;
    const { steps, spots } = this.spec;
    if (!steps) return;
    const there = steps.flatMap((places, index) => (places.length > 1 && at[index] && !spots[index]?.hidden ? [index] : []));
    const own = there.filter((index) => chosen.has(index));
    const shown = own.length ? own : there.sort((a, b) => (spots[b]?.weight ?? 0) - (spots[a]?.weight ?? 0)).slice(0, FEW);
    for (const index of shown) {
      const places = steps[index]!.map(({ step, x, y }) => ({ step, x: this.px(x), y: this.py(y) }));
      this.line("step-trail", `M${places.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`, true);
      this.line("step-place", places.map(({ x, y }) => `M${(x - 2.5).toFixed(1)} ${y.toFixed(1)}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0z`).join(""), true);
      for (const end of [places[0]!, places.at(-1)!]) this.write(`step ${end.step}`, end.x - (spots[index]?.radius ?? 0) - 5, end.y + 4, "end", "halo quiet");
    }
  }

  /** Names of the points with most weight, where nothing else is. */
  names(at: readonly (readonly [number, number] | null)[], chosen: ReadonlySet<number>): [Placed[], number] {
    const { spec, frame } = this;
    const order = spec.spots.flatMap((spot, index) => (at[index] && !spot.strip && !spot.dim ? [index] : []));
    const weight = (index: number): number => (chosen.has(index) ? Infinity : (spec.spots[index]?.weight ?? 0));
    order.sort((a, b) => weight(b) - weight(a) || a - b);
    const many = order.length > 200;
    // Points that are the same in all but their arguments need their name once.
    const said = new Set<string>();
    const wishes: Wish[] = [];
    for (const index of order) {
      const spot = spec.spots[index];
      const where = at[index];
      if (!spot || !where) continue;
      const text = shorten(spot.name, spot.name.includes("×") ? 36 : 26);
      const key = `${text} ${Math.round(where[0] / 60)} ${Math.round(where[1] / 40)}`;
      if (said.has(key)) continue;
      said.add(key);
      wishes.push({ index, x: where[0], y: where[1], radius: spot.radius, text, width: this.measure(text) });
      if (wishes.length >= (many ? 24 : 60)) break;
    }
    const marks = spec.spots.flatMap((spot, index) => {
      const where = at[index];
      return where ? [{ x: where[0], y: where[1], radius: spot.radius }] : [];
    });
    const bounds: Box = [frame.left + 2, frame.top + 2, frame.right - 2, frame.bottom - 2];
    const around = { texts: this.taken, marks, lines: this.roofs, mayCover: many ? 3 : 0 };
    return [place(wishes, around, bounds, many ? 12 : 30), order.length];
  }
}
