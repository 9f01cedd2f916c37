// What a log-log chart is made of: what it is given, and what is drawn.

import type { Placed } from "./labels";
import type { Fill } from "./marks";
import type { Span } from "./scale";

/** A point of the chart. Values are in the units of the axes; colours are CSS. */
export interface Spot {
  x: number | null;
  y: number;
  /** What has no place on the axis stands in a strip: copies by their bandwidth, what moves nothing by its rate. */
  strip?: "copies" | "still" | undefined;
  radius: number;
  symbol: string;
  fill: Fill;
  colour: string;
  name: string;
  /** The order of names. */
  weight: number;
  /** Above its roof. */
  ring: boolean;
  /** Where it would be without waste. */
  ideal: number | null;
  dim?: boolean;
  hidden?: boolean;
  dashed?: boolean;
}

export interface Slope {
  rate: number;
  name: string;
  main: boolean;
  measured: boolean;
  /** No public document states it: drawn dashed. */
  unverified?: boolean;
}

export interface Plateau {
  rate: number;
  name: string;
  measured: boolean;
  unverified?: boolean;
  colour?: string;
}

/** Where a spot was in another run. */
export interface Was {
  x: number;
  y: number;
  /** How much longer it takes now. */
  text: string;
}

/** Where a spot was in a step. */
export interface StepPlace {
  step: number;
  x: number;
  y: number;
}

export interface Spec {
  label: string;
  xName: string;
  yName: string;
  /** Unit of a knee. */
  knee: string;
  xText(value: number): string;
  yText(value: number): string;
  spots: readonly Spot[];
  slopes: readonly Slope[];
  plateaus: readonly Plateau[];
  /** Arrows to where points would be without waste. */
  gaps: boolean;
  /** For each spot where it was in another run, if there is one. */
  before?: readonly (Was | null)[] | undefined;
  /** For each spot its places in the steps, in their order. */
  steps?: readonly (readonly StepPlace[])[] | undefined;
}

export interface Window {
  x: Span;
  y: Span;
}

export interface Whole extends Window {
  /** Bandwidths of the strip of copies. */
  band: Span | null;
  still: boolean;
}

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface SceneText {
  class: string;
  x: number;
  y: number;
  text: string;
  anchor: "start" | "middle" | "end";
  angle?: number;
}

export interface SceneLine {
  class: string;
  d: string;
  /** Cut at the frame. */
  clipped: boolean;
  colour?: string | undefined;
}

export interface Scene {
  frame: Frame;
  lines: SceneLine[];
  texts: SceneText[];
  /** Places of spots by index; null is outside or hidden. */
  at: (readonly [number, number] | null)[];
  names: Placed[];
  /** Points with a name to give, of which only some have room. */
  nameable: number;
}

/** How wide a text is in the letters of names and roofs. */
export type Measure = (text: string) => number;
