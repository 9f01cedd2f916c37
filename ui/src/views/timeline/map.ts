// The strip above the rows: kept while only the window moves.

import { surface } from "../../kit/canvas";
import { colours } from "./colours";
import { drawBands, OVERVIEW, paintOverview, type Work, workOfRanks } from "./overview";
import type { Slices } from "./relations";
import type { Scene } from "./scene";

/** Slices of which the busy time is found before the first picture; with more it is found after it. */
const AT_ONCE = 100_000;

export class Overview {
  readonly #overall: Slices;
  readonly #redraw: () => void;
  #bands: HTMLCanvasElement | null = null;
  /** Busy spans of the payloads that were shown. */
  readonly #work = new WeakMap<Slices, Work>();
  readonly #finding = new WeakSet<Slices>();

  constructor(overall: Slices, redraw: () => void) {
    this.#overall = overall;
    this.#redraw = redraw;
  }

  /** Colours have changed. */
  forget(): void {
    this.#bands = null;
  }

  /** Busy spans of a payload; null until they are found, which for many slices is after the picture. */
  #workOf(slices: Slices): Work | null {
    const known = this.#work.get(slices);
    if (known) return known;
    if (slices.data.total <= AT_ONCE) {
      const found = workOfRanks(slices);
      this.#work.set(slices, found);
      return found;
    }
    if (!this.#finding.has(slices)) setTimeout(() => this.#find(slices), 50);
    this.#finding.add(slices);
    return null;
  }

  #find(slices: Slices): void {
    this.#work.set(slices, workOfRanks(slices));
    if (slices === this.#overall) this.forget();
    this.#redraw();
  }

  draw(canvas: HTMLCanvasElement, scene: Scene, rank: number | null): void {
    const made = surface(canvas, scene.width, OVERVIEW);
    if (!made) return;
    const { viewport } = scene;
    const wide = scene.width - scene.margin;
    if (!this.#bands || this.#bands.width !== Math.round(wide * made.ratio)) {
      this.#bands = drawBands(this.#overall, colours(this.#overall.data.head, scene.dark), this.#workOf(this.#overall), wide, made.ratio, viewport.whole);
    }
    const steps = this.#overall.data.ranks[0]?.steps ?? [];
    paintOverview(made, this.#bands, viewport, this.#workOf(scene.slices), scene, steps, rank);
  }
}
