// Logarithmic axes: where a value stands, and which values are marked.

/** From and to, as powers of ten. */
export type Span = readonly [number, number];

export interface Tick {
  log: number;
  value: number;
  /** Has a text and a stronger line. */
  named: boolean;
}

/** Marks of an axis of so many pixels, with texts at least `apart` pixels from each other. */
export function ticks([low, high]: Span, pixels: number, apart: number): Tick[] {
  const decade = pixels / (high - low);
  const step = Math.max(1, Math.ceil(apart / decade));
  const found: Tick[] = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += 1) {
    for (let digit = 1; digit < 10; digit += 1) {
      const log = power + Math.log10(digit);
      if (log < low || log > high) continue;
      const between = (digit === 2 || digit === 5) && step === 1 && decade * 0.3 >= apart;
      const named = digit === 1 ? power % step === 0 : between;
      if (named || digit === 1 || decade >= 24) found.push({ log, value: digit * 10 ** power, named });
    }
  }
  return found;
}

/** The span that holds all values above zero, with room around them and at least `least` powers of ten. */
export function spanOf(values: Iterable<number | null | undefined>, below = 0.22, above = 0.22, least = 1.1): Span {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || value === undefined || !(value > 0) || value === Infinity) continue;
    const log = Math.log10(value);
    if (log < low) low = log;
    if (log > high) high = log;
  }
  if (low > high) [low, high] = [0, 0];
  const missing = Math.max(0, least - (high - low)) / 2;
  return [low - below - missing, high + above + missing];
}

/** The span after zooming by a factor around a share of it. */
export function zoomed([low, high]: Span, factor: number, share: number): Span {
  const middle = low + (high - low) * share;
  return [middle - (middle - low) * factor, middle + (high - middle) * factor];
}

/** The part of a span between two shares of it, in any order. */
export function cut([low, high]: Span, one: number, other: number): Span {
  const at = (share: number): number => low + (high - low) * share;
  return [at(Math.min(one, other)), at(Math.max(one, other))];
}

/** Neither so near that numbers run out, nor so far that nothing is seen. */
export function sensible([low, high]: Span): boolean {
  return Number.isFinite(low) && Number.isFinite(high) && high - low >= 0.05 && high - low <= 40;
}
