// A canvas that is as sharp as the screen, as large as its place, and has the colours of the page.

import { useEffect, useRef } from "preact/hooks";
import { colour } from "./theme";

/** Custom properties of the page as they are now, by their names without the dashes. Reading them follows the theme. */
export function pageColours<Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> {
  const found = {} as Record<Name, string>;
  for (const name of names) found[name] = colour(name) || "#888888";
  return found;
}

/** The colour `#rgb` or `#rrggbb` as three numbers from 0 to 255. */
export function channels(hex: string): [number, number, number] {
  const long = hex.length === 4 ? hex.replace(/[\da-f]/gi, "$&$&") : hex;
  const value = Number.parseInt(long.slice(1, 7), 16) || 0;
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A canvas with its size in pixels of the page. */
export interface Surface {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  /** Pixels of the screen to one of the page. */
  readonly ratio: number;
}

/** Gives a canvas its size, only if it changed, because that empties it. */
export function surface(canvas: HTMLCanvasElement, width: number, height: number): Surface | null {
  const context = canvas.getContext("2d");
  if (!context || width < 1 || height < 1) return null;
  const ratio = devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { canvas, context, width, height, ratio };
}

/** Calls `draw` once in the next frame, however often it is asked for. */
export function oncePerFrame(draw: () => void): (() => void) & { cancel(): void } {
  let asked = 0;
  const ask = () => {
    asked ||= requestAnimationFrame(() => {
      asked = 0;
      draw();
    });
  };
  return Object.assign(ask, {
    cancel() {
      cancelAnimationFrame(asked);
      asked = 0;
    },
  });
}

/** Calls back with the size of an element now and whenever it changes. */
export function useSize<Kind extends Element>(changed: (width: number, height: number) => void) {
  const place = useRef<Kind>(null);
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(() => latest.current(element.clientWidth, element.clientHeight));
    watcher.observe(element);
    latest.current(element.clientWidth, element.clientHeight);
    return () => watcher.disconnect();
  }, []);
  return place;
}

/** Cuts a text to a width by the usual width of a letter: measuring each text would cost more than drawing it. */
export function cut(text: string, room: number, letter: number): string {
  const most = Math.floor(room / letter);
  if (text.length <= most) return text;
  return most > 3 ? `${text.slice(0, most - 1)}…` : "";
}

/** The usual width of a letter in the font that a context has. */
export function letterWidth(context: CanvasRenderingContext2D): number {
  const sample = "ampere_bf16_s16816gemm_ReduceOp<BFloat16, func>";
  return (1.03 * context.measureText(sample).width) / sample.length;
}

/** Round places on an axis, 1, 2 or 5 times a power of ten apart, at most so many. */
export function ticks(from: number, to: number, most: number): { step: number; at: number[] } {
  const rough = (to - from) / Math.max(1, most);
  if (!(rough > 0) || !Number.isFinite(rough)) return { step: 1, at: [] };
  let step = 10 ** Math.floor(Math.log10(rough));
  const share = rough / step;
  step *= share > 5 ? 10 : share > 2 ? 5 : share > 1 ? 2 : 1;
  const at: number[] = [];
  for (let index = Math.ceil(from / step); index * step <= to; index++) at.push(index * step);
  return { step, at };
}
