// Slices of a server, fetched in as much detail as the window wants.

import type { Source } from "../../source";
import type { Span } from "../../kit/viewport";
import { decode } from "./data";
import { Slices } from "./relations";

/** How long a window must stand still before it is asked for. */
const PAUSE_MS = 120;
/** Windows that are kept, the latest ones. */
const KEPT = 12;
/** How much wider than the window what is fetched is, on each side. */
const AROUND = 0.5;
/** The most pixels that a server makes a picture for. */
const MOST_PIXELS = 20_000;

/** The part of the recording that a payload has the slices of. */
export function rangeOf(slices: Slices): Span {
  const { range, window } = slices.data.head;
  const [from, to] = range ?? window;
  return { from, to };
}

/** Slices shorter than this may be in groups; 0 if none are. */
export function coarseness(slices: Slices): number {
  return slices.data.head.width ?? 0;
}

function covers(slices: Slices, span: Span, whole: Span): boolean {
  const { from, to } = rangeOf(slices);
  return from <= Math.max(span.from, whole.from) && to >= Math.min(span.to, whole.to);
}

export class Windows {
  readonly #source: Source;
  readonly #overall: Slices;
  readonly #whole: Span;
  readonly #kept: Slices[] = [];
  readonly #arrived: () => void;
  readonly #of: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  /** `of` is the run of the server, if it is another than the one that is shown. */
  constructor(source: Source, overall: Slices, arrived: () => void, of?: string) {
    this.#source = source;
    this.#overall = overall;
    this.#whole = rangeOf(overall);
    this.#arrived = arrived;
    this.#of = of;
  }

  /** The finest that there is of a window. */
  best(span: Span): Slices {
    let best = this.#overall;
    for (const slices of this.#kept) {
      if (covers(slices, span, this.#whole) && coarseness(slices) < coarseness(best)) best = slices;
    }
    return best;
  }

  /** Asks for a window in a while, unless what is there is fine enough. */
  want(span: Span, pixels: number): void {
    clearTimeout(this.#timer);
    const around = (span.to - span.from) * AROUND;
    const start = Math.floor(Math.max(this.#whole.from, span.from - around));
    const end = Math.ceil(Math.min(this.#whole.to, span.to + around));
    // A run may have nothing where another one is looked at.
    if (!this.#source.live || !(start < end)) return;
    // Ranks that are moved far from each other make a window that no server draws in all of its pixels.
    const pixel = Math.max((span.to - span.from) / Math.max(1, pixels), (end - start) / MOST_PIXELS);
    if (coarseness(this.best(span)) <= pixel) return;
    this.#timer = setTimeout(() => void this.#fetch(start, end, Math.min(MOST_PIXELS, Math.ceil((end - start) / pixel))), PAUSE_MS);
  }

  async #fetch(start: number, end: number, pixels: number): Promise<void> {
    const mine = ++this.#asked;
    try {
      const bytes = await this.#source.part("timeline", { start: String(start), end: String(end), pixels: String(pixels) }, this.#of);
      if (!bytes) return;
      const slices = new Slices(decode(bytes));
      this.#kept.push(slices);
      if (this.#kept.length > KEPT) this.#kept.shift();
      // What was asked for later will come; until then this may be better than what is shown.
      if (mine <= this.#asked) this.#arrived();
    } catch {
      // What is held stays on the page; the next move asks again.
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
