// A window on a long axis: what pan, zoom, focus and undo mean in every view that has one. No motion of its own: a window is
// where it was put, so a picture and a test see the same.

import { type ReadonlySignal, signal } from "@preact/signals";

/** A piece of the axis, in its own units: nanoseconds of a timeline, an amount of a flame graph. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface ViewportOptions {
  /** The shortest piece that may be looked at. */
  least?: number;
  /** How far beyond the ends one may look, as a share of the whole. */
  slack?: number;
}

/** How far a step back goes. */
const REMEMBERED = 100;
/** Changes that follow each other within this time are one step to undo. */
const ONE_GESTURE_MS = 400;

export class Viewport {
  readonly #span = signal<Span>({ from: 0, to: 1 });
  #whole: Span = { from: 0, to: 1 };
  #before: Span[] = [];
  #changedAt = Number.NEGATIVE_INFINITY;
  readonly #least: number;
  readonly #slack: number;
  /** Pixels that the window is drawn on. */
  width = 1;

  constructor(whole: Span, options: ViewportOptions = {}) {
    this.#least = options.least ?? 1;
    this.#slack = options.slack ?? 0;
    this.extend(whole);
    this.#span.value = this.#whole;
  }

  /** What is looked at; draw when it changes. */
  get span(): ReadonlySignal<Span> {
    return this.#span;
  }

  /** Where it begins now. Whoever must hear of changes reads `span`. */
  get from(): number {
    return this.#span.peek().from;
  }

  get to(): number {
    return this.#span.peek().to;
  }

  get length(): number {
    return this.to - this.from;
  }

  get whole(): Span {
    return this.#whole;
  }

  /** True if all of the axis is in sight. */
  get isWhole(): boolean {
    return this.from <= this.#whole.from && this.to >= this.#whole.to;
  }

  /** Changes the ends of the axis; an empty axis gets a length, so that no scale divides by zero. */
  extend(whole: Span): void {
    this.#whole = { from: whole.from, to: Math.max(whole.to, whole.from + this.#least) };
  }

  /** Looks at another piece, as near to what was asked for as the ends allow. */
  set(from: number, to: number, now = performance.now()): void {
    const next = this.limited(from, to);
    if (next.from === this.from && next.to === this.to) return;
    if (now - this.#changedAt > ONE_GESTURE_MS) {
      this.#before.push(this.#span.peek());
      if (this.#before.length > REMEMBERED) this.#before.shift();
    }
    this.#changedAt = now;
    this.#span.value = next;
  }

  /** The piece that `set` would look at. */
  limited(from: number, to: number): Span {
    if (!Number.isFinite(from) || !Number.isFinite(to)) return this.#span.peek();
    const { from: start, to: end } = this.#whole;
    const slack = (end - start) * this.#slack;
    const length = Math.min(Math.max(to - from, this.#least), end - start + 2 * slack);
    const latest = Math.max(end + slack - length, start - slack);
    const first = Math.min(Math.max(from, start - slack), latest);
    return { from: first, to: first + length };
  }

  /** Makes the piece longer by a factor; what is at the pixel `x` stays there. */
  zoom(factor: number, x = this.width / 2): void {
    const at = this.toAxis(x);
    this.set(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  /** Moves by pixels, of which a picture can be moved without drawing it again. */
  moveBy(pixels: number): void {
    const amount = (Math.round(pixels) * this.length) / this.width;
    this.set(this.from + amount, this.to + amount);
  }

  /** Moves by a share of what is in sight. */
  move(share: number): void {
    this.moveBy(share * this.width);
  }

  /** Looks at another piece as a step of its own, however soon after the last. */
  jump(from: number, to: number): void {
    this.#changedAt = Number.NEGATIVE_INFINITY;
    this.set(from, to);
    this.#changedAt = Number.NEGATIVE_INFINITY;
  }

  fit(): void {
    this.jump(this.#whole.from, this.#whole.to);
  }

  /** Shows a piece with a margin; shows everything if that piece is what is shown. */
  focus(span: Span, margin = 0.2): void {
    const room = Math.max(this.#least, (span.to - span.from) * margin);
    const wanted = this.limited(span.from - room, span.to + room);
    if (Math.abs(wanted.from - this.from) + Math.abs(wanted.to - this.to) < 1e-9 * this.length) this.fit();
    else this.jump(wanted.from, wanted.to);
  }

  /** Goes back to what was looked at before the last gesture. */
  undo(): boolean {
    const before = this.#before.pop();
    if (!before) return false;
    this.#changedAt = Number.NEGATIVE_INFINITY;
    this.#span.value = this.limited(before.from, before.to);
    return true;
  }

  toPixel(value: number): number {
    return ((value - this.from) / this.length) * this.width;
  }

  toAxis(pixel: number): number {
    return this.from + (pixel / this.width) * this.length;
  }
}

/** What a key does to a window; false if it is none of its keys. `x` is where the pointer is. */
export function steer(viewport: Viewport, key: string, x?: number): boolean {
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case "w":
    case "+":
      viewport.zoom(0.7, x);
      return true;
    case "s":
    case "-":
      viewport.zoom(1 / 0.7, x);
      return true;
    case "a":
    case "ArrowLeft":
      viewport.move(-0.15);
      return true;
    case "d":
    case "ArrowRight":
      viewport.move(0.15);
      return true;
    case "u":
      return viewport.undo();
    case "0":
      viewport.fit();
      return true;
    default:
      return false;
  }
}

/** What a wheel does to a window: zooms at the pointer; with shift, or turned sideways, it moves. */
export function turn(viewport: Viewport, event: Pick<WheelEvent, "deltaX" | "deltaY" | "shiftKey">, x: number): void {
  const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (sideways) viewport.moveBy(event.shiftKey ? event.deltaY || event.deltaX : event.deltaX);
  // No turn of any wheel may jump further than a factor of e.
  else viewport.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 400))), x);
}
