// A flame graph on its canvas: which tree, which part of it, what is chosen, and when to draw.

import { computed, effect, type ReadonlySignal, signal, untracked } from "@preact/signals";
import { oncePerFrame, pageColours, surface } from "../../kit/canvas";
import { theme } from "../../kit/theme";
import { Viewport } from "../../kit/viewport";
import { related, shownOf } from "../../related";
import { select, selected, set, setting } from "../../state";
import { type FlameData, type Tree, tree } from "./data";
import { depth, frameAt, type Layout, layOut, sumMatches, type Width } from "./layout";
import { paintFrames, paintMini, type Picture, type PictureRow, ROW } from "./paint";
import { type Sandwich, sandwich } from "./sandwich";

export const MINI = 34;

/** A frame of one of the trees that are drawn. */
export interface Place {
  readonly layout: Layout;
  readonly frame: number;
}

export interface Found {
  readonly matches: Uint8Array;
  readonly frames: number;
  /** Of what is shown, in percent. */
  readonly share: number;
}

export class Flame {
  readonly data: FlameData;
  readonly trees: readonly Tree[];
  readonly #layouts = new Map<string, Layout>();
  readonly #cpu: number;
  readonly smallKind: number;
  readonly isDifference: boolean;
  /** What is searched for, as the address keeps it. */
  readonly query = {
    get value(): string {
      return setting("flame.query");
    },
    set value(text: string) {
      set("flame.query", text || null);
    },
  };
  /** The frame that fills the width; null is all. */
  readonly focused = signal<Place | null>(null);
  /** The frame that the keyboard is on. */
  readonly chosen = signal<Place | null>(null);
  readonly hover = signal<Place | null>(null);
  readonly order: ReadonlySignal<string>;
  readonly metric: ReadonlySignal<number>;
  readonly width: ReadonlySignal<Width>;
  /** Names of the frames that have any of the metric that is shown. */
  readonly #there = computed(() => {
    const found = new Set<string>();
    for (const one of this.trees) for (let frame = 0; frame < one.count; frame++) if (one.total[this.metric.value]![frame]! > 0) found.add(this.data.names[one.name[frame]!]!);
    return found;
  });
  /** What is selected, or what launched it or was launched by it if that is what is here. */
  readonly marked = computed(() => shownOf(selected.value, related.value, (name) => this.#there.value.has(name)));
  /** The function of which both sides are shown. A signal of its own: other settings must not make them anew. */
  readonly #name = computed(() => [...selected.value][0]);
  readonly sides: ReadonlySignal<Sandwich | null>;
  readonly rows: ReadonlySignal<PictureRow[]>;
  readonly found: ReadonlySignal<Found | "no expression" | null>;
  readonly viewport = new Viewport({ from: 0, to: 1 }, { least: 1e-3 });
  canvas: HTMLCanvasElement | null = null;
  mini: HTMLCanvasElement | null = null;
  scroll: HTMLElement | null = null;
  readonly #texels = document.createElement("canvas");
  #miniOf: { key: unknown; canvas: HTMLCanvasElement } | null = null;
  readonly #stops: (() => void)[] = [];
  readonly redraw = oncePerFrame(() => this.draw());

  constructor(data: FlameData) {
    this.data = data;
    this.trees = data.views.map(tree);
    this.#cpu = data.metrics.findIndex((metric) => metric.id === "cpu");
    this.smallKind = data.kinds.length - 1;
    this.isDifference = (this.trees[0]?.base.length ?? 0) > 0;
    this.order = computed(() => {
      const wanted = setting("flame.order");
      return wanted === "sandwich" || this.trees.some((one) => one.id === wanted) ? wanted : (this.trees[0]?.id ?? "");
    });
    this.metric = computed(() => {
      const wanted = data.metrics.findIndex((metric) => metric.id === setting("flame.metric"));
      return wanted >= 0 && this.has(wanted) ? wanted : data.metric;
    });
    this.width = computed(() => (this.isDifference ? (setting("flame.width", "both") as Width) : "new"));
    this.sides = computed(() => (this.order.value === "sandwich" ? this.#sandwich() : null));
    this.rows = computed(() => this.#rows());
    this.found = computed(() => this.#search());
  }

  has(metric: number): boolean {
    const first = this.trees[0];
    return !!first && ((first.total[metric]?.[0] ?? 0) > 0 || (first.base[metric]?.[0] ?? 0) > 0);
  }

  nameOf({ layout, frame }: Place): string {
    return this.data.names[layout.tree.name[frame]!] ?? "";
  }

  /** The tree in which calls of one path are one frame. */
  get merged(): Tree | undefined {
    return this.trees.find((one) => !one.time && !one.inverted) ?? this.trees[0];
  }

  /** The names of which both sides are shown: what is selected on the page. */
  #sandwich(): Sandwich | null {
    const of = this.merged;
    const wanted = this.#name.value;
    const name = wanted === undefined ? -1 : this.data.names.indexOf(wanted);
    return of && name >= 0 ? sandwich(of, name) : null;
  }

  #layout(of: Tree): Layout {
    const [metric, width] = [this.metric.value, this.width.value];
    // Trees of a sandwich are made for a name and are not kept.
    if (of.id === "callers" || of.id === "callees") return layOut(of, metric, width, this.#cpu, this.smallKind);
    const key = `${of.id} ${metric} ${width}`;
    const known = this.#layouts.get(key);
    if (known) return known;
    const made = layOut(of, metric, width, this.#cpu, this.smallKind);
    this.#layouts.set(key, made);
    return made;
  }

  #rows(): PictureRow[] {
    if (this.order.value !== "sandwich") {
      const of = this.trees.find((one) => one.id === this.order.value);
      return of ? levelsOf(this.#layout(of)) : [];
    }
    const sides = this.sides.value;
    if (!sides) return [];
    const [callers, callees] = [this.#layout(sides.callers), this.#layout(sides.callees)];
    return [...levelsOf(callers).slice(1).reverse(), ...levelsOf(callees)];
  }

  /** The whole width of what is drawn. */
  get whole(): number {
    const layout = this.rows.value.at(-1)?.layout;
    return layout ? layout.width[0]! : 0;
  }

  #search(): Found | "no expression" | null {
    const query = this.query.value;
    if (!query) return null;
    let pattern: RegExp;
    try {
      pattern = new RegExp(query, "i");
    } catch {
      return "no expression";
    }
    const matches = Uint8Array.from(this.data.names, (name) => (pattern.test(name) ? 1 : 0));
    const focused = this.focused.value;
    const layout = focused?.layout ?? this.rows.value.at(-1)?.layout;
    if (!layout) return { matches, frames: 0, share: 0 };
    const below = focused?.frame ?? 0;
    const { frames, sum } = sumMatches(layout, below, (name) => matches[name] === 1);
    return { matches, frames, share: (100 * sum) / (layout.width[below]! || 1) };
  }

  /** The frame that the address is focused on. */
  #addressed(): Place | null {
    const found = /^([\w-]+)\.(\d+)\.(.*)$/s.exec(setting("flame.at"));
    const layout = this.rows.peek().find((row) => row.layout.tree.id === found?.[1])?.layout;
    const frame = Number(found?.[2]);
    // Another rank or another file has other frames at the same places.
    return layout && frame > 0 && layout.width[frame]! > 0 && this.nameOf({ layout, frame }) === found?.[3] ? { layout, frame } : null;
  }

  start(): void {
    let isFirst = true;
    const onRows = effect(() => {
      const rows = this.rows.value;
      this.focused.value = null;
      this.chosen.value = null;
      this.hover.value = null;
      this.viewport.extend({ from: 0, to: this.whole || 1 });
      this.viewport.fit();
      const tall = this.scroll?.firstElementChild;
      if (tall instanceof HTMLElement) tall.style.height = `${rows.length * ROW}px`;
      this.redraw();
      untracked(() => {
        const place = isFirst ? this.#addressed() : null;
        if (place) this.focus(place);
        else if (!isFirst) set("flame.at", null);
      });
      isFirst = false;
      // The function itself is in the middle of a sandwich.
      if (this.scroll) this.scroll.scrollTop = Math.max(0, rows.findIndex((row) => row.level === 0) * ROW - this.scroll.clientHeight / 2);
    });
    const onOther = effect(() => {
      void [theme.value, this.viewport.span.value, this.chosen.value, this.hover.value, this.found.value, this.marked.value];
      this.redraw();
    });
    this.#stops.push(onRows, onOther);
  }

  stop(): void {
    for (const end of this.#stops.splice(0)) end();
    this.redraw.cancel();
  }

  #picture(): Picture | null {
    const { canvas, scroll } = this;
    const made = canvas && scroll && surface(canvas, scroll.clientWidth, scroll.clientHeight);
    if (!made || !scroll) return null;
    this.viewport.width = made.width;
    const found = this.found.peek();
    const names = this.marked.peek();
    const marked = names.size ? Uint8Array.from(this.data.names, (name) => (names.has(name) ? 1 : 0)) : null;
    return {
      ...made,
      data: this.data,
      metric: this.metric.peek(),
      isDifference: this.isDifference,
      dark: theme.peek() === "dark",
      theme: pageColours(["surface", "text", "quiet", "line", "selected-line"]),
      viewport: this.viewport,
      rows: this.rows.peek(),
      top: scroll.scrollTop,
      matches: found && found !== "no expression" ? found.matches : null,
      marked,
      focused: this.focused.peek(),
    };
  }

  draw(): void {
    const picture = this.#picture();
    if (!picture) return;
    paintFrames(picture, this.#texels, { chosen: this.chosen.peek(), hover: this.hover.peek(), hasFocus: document.activeElement === this.canvas });
    const made = this.mini && surface(this.mini, picture.width, MINI);
    if (!made) return;
    const key = `${picture.rows.length} ${made.canvas.width} ${picture.dark} ${this.metric.peek()} ${this.width.peek()} ${this.order.peek()} ${this.whole}`;
    if (this.#miniOf?.key !== key) this.#miniOf = { key, canvas: document.createElement("canvas") };
    paintMini(made, picture, this.#miniOf.canvas);
  }

  /** What is at a place of the canvas. */
  at(x: number, y: number): Place | null {
    const row = this.rows.peek()[Math.floor((y + (this.scroll?.scrollTop ?? 0)) / ROW)];
    if (!row) return null;
    const frame = frameAt(row.layout, row.level, this.viewport.toAxis(x));
    return frame < 0 ? null : { layout: row.layout, frame };
  }

  /** Makes a frame as wide as the picture; all of it for null. */
  focus(place: Place | null): void {
    this.focused.value = place && place.frame > 0 ? place : null;
    this.chosen.value = place;
    if (place) this.viewport.set(place.layout.left[place.frame]!, place.layout.left[place.frame]! + place.layout.width[place.frame]!);
    else this.viewport.fit();
    // Trees of a sandwich are made for a name: their frames have no lasting place.
    const focused = this.focused.peek();
    const of = focused && this.trees.find((one) => one === focused.layout.tree);
    set("flame.at", focused && of ? `${of.id}.${focused.frame}.${this.nameOf(focused)}` : null);
  }

  /** One frame up towards all. */
  back(): boolean {
    const focused = this.focused.peek();
    if (!focused) {
      if (this.viewport.isWhole) return false;
      this.viewport.fit();
      return true;
    }
    const parent = focused.layout.tree.parent[focused.frame]!;
    this.focus(parent >= 0 ? { layout: focused.layout, frame: parent } : null);
    return true;
  }

  /** Shows callers and callees of a name. */
  showSides(name: string): void {
    select([name]);
    set("flame.order", "sandwich");
  }

  /** Moves the chosen frame to a neighbour; rows are those of the picture. */
  move(dx: number, dy: number): void {
    const chosen = this.chosen.peek();
    const rows = this.rows.peek();
    if (!chosen) {
      const first = rows.find((row) => row.level === 0);
      if (first) this.chosen.value = { layout: first.layout, frame: 0 };
      return;
    }
    const { layout, frame } = chosen;
    const at = layout.place[frame]!;
    const level = layout.tree.level[frame]!;
    if (dx) {
      const next = at + dx;
      if (next >= layout.levels[level]! && next < layout.levels[level + 1]!) this.#reach({ layout, frame: layout.frames[next]! });
      return;
    }
    const index = rows.findIndex((row) => row.layout === layout && row.level === level);
    const row = rows[index + dy];
    if (!row) return;
    // The frame above or below its left edge: a parent, or the first and widest child.
    const value = layout.left[frame]! + Math.min(1e-9, layout.width[frame]! / 2);
    const next = frameAt(row.layout, row.level, value);
    if (next >= 0) this.#reach({ layout: row.layout, frame: next });
  }

  #reach(place: Place): void {
    this.chosen.value = place;
    const rows = this.rows.peek();
    const y = rows.findIndex((row) => row.layout === place.layout && row.level === place.layout.tree.level[place.frame]) * ROW;
    const { scroll } = this;
    if (!scroll) return;
    if (y < scroll.scrollTop) scroll.scrollTop = y;
    else if (y + ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = y + ROW - scroll.clientHeight;
  }

  /** The next frame that the search found, by level from left to right. */
  nextMatch(by: number): void {
    const found = this.found.peek();
    const layout = this.focused.peek()?.layout ?? this.rows.peek().at(-1)?.layout;
    if (!found || found === "no expression" || !layout) return;
    const { frames, tree: of, place } = layout;
    const from = this.chosen.peek()?.layout === layout ? place[this.chosen.peek()!.frame]! : -1;
    for (let step = 1; step <= frames.length; step++) {
      const at = (((from + by * step) % frames.length) + frames.length) % frames.length;
      if (!found.matches[of.name[frames[at]!]!]) continue;
      this.#reach({ layout, frame: frames[at]! });
      const [left, right] = [layout.left[frames[at]!]!, layout.left[frames[at]!]! + layout.width[frames[at]!]!];
      if (right < this.viewport.from || left > this.viewport.to) this.viewport.set(left, right);
      return;
    }
  }
}

function levelsOf(layout: Layout): PictureRow[] {
  return Array.from({ length: depth(layout) }, (_, level) => ({ layout, level }));
}
