// A timeline on its canvases: what is looked at, what is chosen, and when to draw.

import { batch, computed, effect, signal } from "@preact/signals";
import { duration } from "../../format";
import { oncePerFrame, pageColours, surface } from "../../kit/canvas";
import { theme } from "../../kit/theme";
import { type Span, Viewport } from "../../kit/viewport";
import type { Source } from "../../source";
import { range, rank, select, selected, set, setting } from "../../state";
import { alignment } from "./align";
import { colours } from "./colours";
import type { Data, Track } from "./data";
import { isBase, join } from "./join";
import { layOut, layOutPinned, FOLDED, type Layout, MANY, ROW, type RowLine } from "./layout";
import { areaOf, areaText, foldedIn, keepFolded, keepKeys, keysOf, sliceOf, sliceText } from "./track-sets";
import { light } from "./light";
import { Overview } from "./map";
import { paintAxis } from "./axis";
import { clipped, outline, paintArea, paintArrows, paintCursor, paintRows, paintSteps } from "./paint";
import { type Arrow, Slices } from "./relations";
import { type Area, AXIS, entryAt, lineAtY, type Scene, THEME } from "./scene";
import { Search, type Sought } from "./search";
import { shareTime } from "./shared-time";
import { Strip } from "./strip";
import { coarseness, Windows } from "./windows";

/** Another run to hold this one against: its slices, and what the server calls it. */
export interface Base {
  readonly data: Data;
  readonly run: string;
}

const NOTHING: Layout = { lines: [], lineOf: new Map(), height: 0 };

export class Timeline {
  readonly overall: Slices;
  readonly viewport: Viewport;
  readonly search: Search;
  readonly #slice = computed(() => setting("timeline.slice"));
  readonly chosen = computed(() => sliceOf(this.#slice.value, this.overall.data.rows));
  readonly #areaText = computed(() => setting("timeline.area"));
  /** The area while it is dragged. */
  readonly dragged = signal<Area | null>(null);
  readonly area = computed(() => this.dragged.value ?? areaOf(this.#areaText.value, this.overall.data.rows));
  /** Follows the payload that is shown. */
  readonly shown = signal<Slices>(null as unknown as Slices);
  /** Folded so that the rest has room, until somebody says which. */
  readonly #roomy = signal<ReadonlySet<string>>(new Set());
  readonly #foldedText = computed(() => setting("timeline.folded"));
  readonly folded = computed(() => foldedIn(this.#foldedText.value, this.tracks) ?? this.#roomy.value);
  readonly #foldedRows = signal(FOLDED);
  readonly strip = new Strip();
  /** Those of the run that is shown, and of the one that it is compared with. */
  readonly #windows: readonly Windows[];
  readonly #windowOfBase: readonly [number, number] | null;
  /** Slices of both runs, by those of each. */
  readonly #joined = new WeakMap<Slices, WeakMap<Slices, Slices>>();
  plot: HTMLCanvasElement | null = null;
  map: HTMLCanvasElement | null = null;
  scroll: HTMLElement | null = null;
  readonly #texels = document.createElement("canvas");
  #scene: Scene | null = null;
  #layout: { pinned: Layout; scrolling: Layout } = { pinned: NOTHING, scrolling: NOTHING };
  #lit: Scene["lit"] = null;
  #wanted: Uint8Array | null = null;
  #colours: Scene["colours"];
  readonly #overview: Overview;
  #hover: { entry: number; slices: Slices } | null = null;
  #pointer: { x: number; y: number } | null = null;
  #arrows: { of: number; slices: Slices; deep: boolean; arrows: Arrow[] } | null = null;
  #sought: Sought | null = null;
  readonly #query = computed(() => setting("timeline.query"));
  readonly #step = computed(() => setting("timeline.align"));
  /** How much later each rank is than it is drawn: made when the step changes, as every move of the window wants it. */
  readonly #offsets = computed(() => alignment(this.overall.data.ranks, this.#step.value));
  readonly #stops: (() => void)[] = [];
  readonly redraw = oncePerFrame(() => this.draw());

  constructor(data: Data, source: Source, base: Base | null = null) {
    const overall = [data, ...(base ? [base.data] : [])].map((one) => new Slices(one));
    this.overall = this.#join(overall);
    this.shown.value = this.overall;
    this.#windowOfBase = base && base.data.head.window;
    this.viewport = new Viewport(this.#whole(), { least: 10, slack: 0.05 });
    if (range.peek()) this.viewport.set(...range.peek()!);
    this.#windows = overall.map((one, at) => new Windows(source, one, () => this.#take(), at ? base?.run : undefined));
    this.search = new Search(source, () => this.shown.value, () => coarseness(this.overall) > 0, base?.run);
    this.#colours = colours(this.overall.data.head, theme.peek() === "dark");
    this.#overview = new Overview(this.overall, () => this.redraw());
  }

  /** Draws and follows what the page shares, until `stop`. */
  start(): void {
    const onTheme = effect(() => {
      this.#colours = colours(this.shown.value.data.head, theme.value === "dark");
      this.#repaint();
    });
    const onLight = effect(() => this.#light());
    const onView = effect(() => {
      void this.viewport.span.value;
      this.#take();
      // Before the first picture nobody knows how wide it is.
      if (this.viewport.width > 1) this.#want(devicePixelRatio || 1);
      this.redraw();
    });
    const onAlign = effect(() => this.#extend());
    const onOther = effect(() => {
      void [this.chosen.value, this.area.value, this.search.query.value];
      this.redraw();
    });
    const onLayout = effect(() => this.#lay());
    const onQuery = effect(() => {
      if (this.#query.value !== this.search.query.peek()) this.search.ask(this.#query.value);
    });
    this.#stops.push(onQuery, onTheme, onLight, onView, onAlign, shareTime(this.viewport), onOther, onLayout);
  }

  stop(): void {
    for (const end of this.#stops.splice(0)) end();
    for (const windows of this.#windows) windows.stop();
    this.redraw.cancel();
  }

  #join([own, base]: readonly Slices[]): Slices {
    if (!own || !base) return own!;
    const known = this.#joined.get(own) ?? new WeakMap<Slices, Slices>();
    this.#joined.set(own, known);
    const both = known.get(base) ?? new Slices(join(own.data, base.data));
    known.set(base, both);
    return both;
  }

  get tracks(): readonly Track[] {
    return this.overall.data.ranks.flatMap((one) => one.tracks);
  }

  /** Searches for what the address then has, too. */
  seekNames(query: string): void {
    set("timeline.query", query || null);
  }

  keepArea(area: Area | null): void {
    batch(() => {
      this.dragged.value = null;
      set("timeline.area", area && areaText(area, this.overall.data.rows));
    });
  }

  get isCompared(): boolean {
    return this.#windows.length > 1;
  }

  /** How far ranks of a run are moved, the least and the most. */
  #moved(ofBase: boolean): [number, number] {
    const offsets = this.#offsets.value;
    const by = this.overall.data.ranks.flatMap(({ rank }) => (isBase(rank) === ofBase ? [offsets.get(rank) ?? 0] : []));
    return [Math.min(...by), Math.max(...by)];
  }

  /** All of the time, of both runs where they are drawn. */
  #whole(): Span {
    const [from, to] = this.overall.data.head.window;
    const base = this.#windowOfBase;
    if (!base) return { from, to };
    const [least, most] = this.#moved(true);
    return { from: Math.min(from, base[0] - most), to: Math.max(to, base[1] - least) };
  }

  /** Ranks are put elsewhere: the axis ends where they do. */
  #extend(): void {
    const whole = this.#whole();
    const before = this.viewport.whole;
    if (whole.from === before.from && whole.to === before.to) return;
    const wasWhole = this.viewport.isWhole;
    this.viewport.extend(whole);
    if (wasWhole) this.viewport.fit();
    this.#repaint();
  }

  /** What is in sight of a run in its own time, whichever rank is moved. */
  #sight(ofBase: boolean): Span {
    const [least, most] = this.#moved(ofBase);
    return { from: this.viewport.from + least, to: this.viewport.to + most };
  }

  #want(ratio: number): void {
    this.#windows.forEach((windows, at) => {
      const span = this.#sight(at === 1);
      windows.want(span, (this.viewport.width * ratio * (span.to - span.from)) / this.viewport.length);
    });
  }

  /** Shows the finest slices that there are. */
  #take(): void {
    const best = this.#join(this.#windows.map((windows, at) => windows.best(this.#sight(at === 1))));
    if (best === this.shown.peek()) return;
    this.#hover = null;
    // The numbers of names differ from payload to payload.
    this.#colours = colours(best.data.head, theme.peek() === "dark");
    this.shown.value = best;
    this.#repaint();
    this.#findSought();
  }

  /** Shows a slice that is perhaps not here by itself yet: close enough for it to be fetched, and chosen when it is. */
  seek(slice: Sought): void {
    this.#sought = slice;
    const length = Math.min(this.viewport.length, Math.max(1000, slice.duration * 60));
    const middle = slice.start + slice.duration / 2 - (this.#offsets.value.get(slice.rank) ?? 0);
    this.viewport.jump(middle - length / 2, middle + length / 2);
    this.#findSought();
  }

  #findSought(): void {
    const slice = this.#sought;
    if (!slice) return;
    const slices = this.shown.peek();
    const track = slices.data.ranks.find((one) => one.rank === slice.rank)?.tracks.find((one) => one.group === slice.group && one.name === slice.track);
    for (const row of track?.rows ?? []) {
      const entry = slices.find(row.key, slice.start, slice.name);
      if (entry < 0 || slices.data.count[entry] !== 1) continue;
      this.#sought = null;
      this.choose(entry, true);
      return;
    }
  }

  #repaint(): void {
    this.strip.reset();
    this.#overview.forget();
    this.redraw();
  }

  #light(): void {
    ({ wanted: this.#wanted, lit: this.#lit } = light(this.shown.value, this.search.matches.value, selected.value));
    this.strip.reset();
    this.redraw();
  }

  #lay(): void {
    const wish = { folded: this.folded.value, closed: keysOf("closed"), rows: this.#foldedRows.value, hidden: keysOf("hidden"), pinned: keysOf("pinned"), filter: setting("timeline.tracks"), rank: rank.value };
    const { ranks } = this.overall.data;
    this.#layout = { pinned: layOutPinned(ranks, wish), scrolling: layOut(ranks, wish) };
    const tall = this.scroll?.firstElementChild;
    if (tall instanceof HTMLElement) tall.style.height = `${AXIS + this.#layout.pinned.height + this.#layout.scrolling.height}px`;
    this.redraw();
  }

  /** Folds tracks with many rows if not everything fits, so that the devices are in sight; of two runs, all threads. */
  foldToFit(height: number): void {
    const isLong = (track: Track) => track.rows.length > (this.isCompared && !track.stream ? 1 : MANY);
    const tracks = this.tracks.filter(isLong);
    const folded = new Set<string>(this.#foldedText.peek() ? this.folded.peek() : []);
    for (const track of folded.size ? [] : tracks.sort((a, b) => b.rows.length - a.rows.length)) {
      if (AXIS + this.#layout.scrolling.height <= height) break;
      folded.add(track.key);
      this.#roomy.value = new Set(folded);
    }
    // What is left of the room is theirs.
    const rest = height - AXIS - this.#layout.scrolling.height;
    if (folded.size && rest > 0) this.#foldedRows.value = FOLDED + Math.floor(rest / ROW / folded.size);
  }

  /** Pins or hides the track under the pointer, else that of the chosen slice. */
  flipTrack(name: "pinned" | "hidden"): void {
    const scene = this.#scene;
    const line = scene && this.#pointer ? lineAtY(scene, this.#pointer.y) : undefined;
    const chosen = this.chosen.peek();
    const track = line?.kind === "row" ? line.track : chosen ? this.overall.rowByKey.get(chosen.key)?.track : undefined;
    if (!track) return;
    const keys = keysOf(name);
    if (!keys.delete(track.key)) keys.add(track.key);
    keepKeys(name, keys);
  }

  /** The picture as it is now; made again for each frame, because any of it may have changed. */
  scene(): Scene | null {
    const { plot, scroll } = this;
    if (!plot || !scroll) return null;
    const made = surface(plot, scroll.clientWidth, scroll.clientHeight);
    if (!made) return null;
    const margin = made.width < 700 ? 112 : 208;
    const wide = Math.max(1, made.width - margin);
    if (wide !== this.viewport.width) {
      this.viewport.width = wide;
      this.#want(made.ratio);
    }
    return {
      ...made,
      dark: theme.peek() === "dark",
      theme: pageColours(THEME),
      colours: this.#colours,
      viewport: this.viewport,
      slices: this.shown.peek(),
      strip: this.strip,
      lit: this.#lit,
      wanted: this.#wanted,
      margin,
      top: scroll.scrollTop,
      offsets: this.#offsets.value,
      ...this.#layout,
    };
  }

  draw(): void {
    const scene = (this.#scene = this.scene());
    if (!scene) return;
    paintRows(scene, this.#texels, this.folded.peek());
    paintSteps(scene);
    clipped(scene, () => this.#paintChosen(scene));
    paintAxis(scene);
    if (this.#pointer && this.#pointer.x >= scene.margin) {
      paintCursor(scene, this.#pointer.x, duration(this.viewport.toAxis(this.#pointer.x - scene.margin)));
    }
    if (this.map) this.#overview.draw(this.map, scene, rank.peek());
  }

  #paintChosen(scene: Scene): void {
    const area = this.area.peek();
    if (area) paintArea(scene, area);
    const chosen = this.chosenEntry();
    const hover = this.#hover?.slices === scene.slices ? this.#hover.entry : -1;
    if (hover >= 0) outline(scene, hover, 1);
    if (chosen >= 0) outline(scene, chosen, 2);
    if (setting("timeline.arrows") === "off") return;
    paintArrows(scene, this.arrowsOfChosen());
    if (hover >= 0 && hover !== chosen) paintArrows(scene, scene.slices.arrows(hover, false));
  }

  chosenEntry(): number {
    const chosen = this.chosen.peek();
    return chosen ? this.shown.peek().find(chosen.key, chosen.start, chosen.name) : -1;
  }

  arrowsOfChosen(): Arrow[] {
    const of = this.chosenEntry();
    const slices = this.shown.peek();
    const deep = setting("timeline.arrows") !== "direct";
    if (!this.#arrows || this.#arrows.of !== of || this.#arrows.slices !== slices || this.#arrows.deep !== deep) {
      this.#arrows = { of, slices, deep, arrows: slices.arrows(of, deep) };
    }
    return this.#arrows.arrows;
  }

  /** Chooses an entry of what is shown; none for -1. Its name is selected in all views. */
  choose(entry: number, reveal = false): void {
    const slices = this.shown.peek();
    batch(() => {
      if (entry < 0) {
        set("timeline.slice", null);
        select([]);
        return;
      }
      const row = slices.rowOf(entry);
      set("timeline.slice", sliceText({ key: row.key, start: slices.data.start[entry]!, name: slices.nameOf(entry) }, this.overall.data.rows));
      if (!selected.peek().has(slices.nameOf(entry)) && !this.search.matches.peek()) select([slices.nameOf(entry)]);
    });
    if (reveal) this.reveal(entry);
  }

  /** Brings an entry into sight at the zoom there is. */
  reveal(entry: number): void {
    const slices = this.shown.peek();
    const { start, end } = slices.data;
    const row = slices.rowOf(entry);
    const { track } = row;
    const closed = keysOf("closed");
    if ([String(track.rank), `${track.rank}/${track.group}`].filter((key) => closed.delete(key)).length) keepKeys("closed", closed);
    const hidden = keysOf("hidden");
    if (hidden.delete(track.key)) keepKeys("hidden", hidden);
    if (this.folded.peek().has(track.key) && !this.#layout.scrolling.lineOf.has(row.key) && !this.#layout.pinned.lineOf.has(row.key)) this.fold(track.key);
    const shift = this.#offsets.value.get(track.rank) ?? 0;
    const [from, to] = [start[entry]! - shift, end[entry]! - shift];
    const { viewport } = this;
    if (from > viewport.to || to < viewport.from) viewport.set((from + to - viewport.length) / 2, (from + to + viewport.length) / 2);
    const line = this.#layout.scrolling.lineOf.get(row.key);
    if (line && this.scroll) this.#scrollTo(line, this.scroll);
  }

  #scrollTo(line: RowLine, scroll: HTMLElement): void {
    const room = scroll.clientHeight - AXIS - this.#layout.pinned.height;
    if (line.y < scroll.scrollTop || line.y + line.size > scroll.scrollTop + room) scroll.scrollTop = line.y - room / 2;
  }

  /** The room has changed: what is chosen stays in sight. */
  resized(): void {
    this.redraw();
    const chosen = this.chosen.peek();
    const line = chosen && this.#layout.scrolling.lineOf.get(chosen.key);
    if (!line || !this.scroll) return;
    const below = line.y + line.size - (this.scroll.clientHeight - AXIS - this.#layout.pinned.height);
    if (below > this.scroll.scrollTop) this.scroll.scrollTop = below + line.size;
  }

  /** Closes a rank, process or device, or opens it. */
  close(key: string): void {
    const closed = keysOf("closed");
    if (!closed.delete(key)) closed.add(key);
    keepKeys("closed", closed);
  }

  fold(key: string): void {
    const folded = new Set(this.folded.peek());
    if (!folded.delete(key)) folded.add(key);
    keepFolded(folded, this.tracks);
  }

  /** The slice beside the chosen one in its row. */
  neighbour(by: number): void {
    const entry = this.chosenEntry();
    if (entry < 0) return;
    const row = this.shown.peek().rowOf(entry);
    const next = entry + by;
    if (next >= row.from && next < row.to) this.choose(next, true);
  }

  /** Shows the chosen slice or the area, or everything. */
  focus(): void {
    const entry = this.chosenEntry();
    const { data } = this.shown.peek();
    const area = this.area.peek();
    if (entry >= 0) {
      const shift = this.#offsets.value.get(this.shown.peek().rowOf(entry).track.rank) ?? 0;
      this.viewport.focus({ from: data.start[entry]! - shift, to: data.end[entry]! - shift });
    } else if (area) this.viewport.focus(area, 0.05);
    else this.viewport.fit();
  }

  /** Where the pointer is; what is below it is returned. */
  point(at: { x: number; y: number } | null): { entry: number; line: RowLine } | undefined {
    this.#pointer = at;
    const scene = this.#scene;
    const found = at && scene ? entryAt(scene, at.x, at.y) : undefined;
    this.#hover = found && scene ? { entry: found.entry, slices: scene.slices } : null;
    this.redraw();
    return found;
  }

  get pointerX(): number | undefined {
    const scene = this.#scene;
    return this.#pointer && scene && this.#pointer.x >= scene.margin ? this.#pointer.x - scene.margin : undefined;
  }

  /** The scene that was drawn last. */
  get drawn(): Scene | null {
    return this.#scene;
  }
}
