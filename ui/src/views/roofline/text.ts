// Numbers at axes and roofs, where three digits must do.

/** Three digits at most: 3.35, 989, 12. */
function digits(number: number): string {
  const size = Math.abs(number);
  const text = number.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** With a prefix: `3.35 T`, `989 G`, `12`. */
export function prefixed(number: number | null): string {
  if (number === null || !Number.isFinite(number)) return "-";
  let at = 0;
  let scaled = number;
  while (Math.abs(scaled) >= 999.5 && at < 6) {
    scaled /= 1000;
    at += 1;
  }
  const text = scaled === 0 || Math.abs(scaled) >= 0.00095 ? digits(scaled) : scaled.toExponential(0);
  return at ? `${text} ${"kMGTPE"[at - 1]}` : text;
}

/** With a unit behind its prefix: `3.35 TB/s`. */
export function withUnit(number: number | null, unit: string): string {
  const text = prefixed(number);
  if (text === "-") return text;
  return text.includes(" ") ? text + unit : `${text} ${unit}`;
}

/** An intensity: up to 9999 in full, and below a thousandth as a power of ten. */
export function ratio(number: number): string {
  if (number > 0 && number < 0.00995) return number.toExponential(0).replace("-", "−");
  return number >= 999.5 && number < 9999.5 ? number.toFixed(0) : prefixed(number);
}
