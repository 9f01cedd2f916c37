// Values as people read them: the twin of `crates/section/src/quantity.rs`, held to the same examples.

import type { Column, Value } from "./source/document";

/** What stands in place of a value that is not there. */
export const MISSING = "-";

/** A number with so many decimals. A tie goes to the even digit, as Rust formats it; `toFixed` would round it up. */
export function fixed(number: number, digits: number): string {
  const size = Math.abs(number);
  let text = size < 1e21 ? size.toFixed(digits) : `${BigInt(size)}${digits ? `.${"0".repeat(digits)}` : ""}`;
  // A binary fraction lies exactly between two decimals if and only if one bit follows those that its digits take.
  const isTie = Math.abs((size * 2 ** (digits + 1)) % 2) === 1;
  const last = text.charCodeAt(text.length - 1) - 48;
  if (isTie && last % 2 === 1) text = text.slice(0, -1) + String(last - 1);
  return number < 0 || Object.is(number, -0) ? `-${text}` : text;
}

/** Rounds halves away from zero, as Rust does. */
function round(number: number): number {
  return Math.sign(number) * Math.round(Math.abs(number));
}

/** An integer with commas. */
export function thousands(number: number): string {
  const digits = BigInt(Math.abs(Math.trunc(number))).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  return number <= -1 ? `-${digits}` : digits;
}

/** A float with two decimals and commas. */
export function decimal(number: number): string {
  const rounded = fixed(number, 2);
  const [whole = "", fraction = ""] = rounded.split(".");
  return Math.abs(Number(whole)) >= 1000 ? `${thousands(Number(whole))}.${fraction}` : rounded;
}

/** A duration in the largest unit that leaves a digit before the point. */
export function duration(ns: number): string {
  const whole = round(ns);
  if (Math.abs(whole) < 1000) return `${whole === 0 ? 0 : whole} ns`;
  // 999,995 ns would round to 1000.00 us, which is 1.00 ms.
  const scaled = (divisor: number) => round((whole / divisor) * 100) / 100;
  for (const [divisor, unit] of [[1e3, "µs"], [1e6, "ms"]] as const) {
    const number = scaled(divisor);
    if (Math.abs(number) < 1000) return `${fixed(number, 2)} ${unit}`;
  }
  return `${decimal(scaled(1e9))} s`;
}

/** A size in binary units. */
export function bytes(size: number): string {
  if (Math.abs(size) < 1024) return `${fixed(size, 0)} B`;
  let number = size / 1024;
  for (const unit of ["KiB", "MiB", "GiB"]) {
    // 1023.96 would round to 1024.0.
    if (Math.abs(number) < 1023.95) return `${fixed(number, 1)} ${unit}`;
    number /= 1024;
  }
  return `${fixed(number, 1)} TiB`;
}

/** A percentage with one decimal; what is not nothing or all never looks like it. */
export function percent(share: number): string {
  if (share !== 0 && Math.abs(share) < 0.05) return `${share < 0 ? ">-" : "<"}0.1%`;
  const rounded = `${fixed(share, 1)}%`;
  return share < 100 && rounded === "100.0%" ? ">99.9%" : rounded;
}

/** A count with the largest decimal prefix that leaves a digit before the point: `137.44 GFLOP`. */
export function scaledCount(number: number, unit: string): string {
  const prefixes = ["", "k", "M", "G", "T", "P", "E"];
  let at = 0;
  let scaled = number;
  // 999.996 would round to 1000.00.
  while (Math.abs(round(scaled * 100)) >= 100_000 && at + 1 < prefixes.length) {
    scaled /= 1000;
    at += 1;
  }
  return `${decimal(scaled)} ${prefixes[at]}${unit}`;
}

/** A number by its unit. JSON does not tell 1.0 from 1: `isFloat` says that the values beside it have fractions. */
export function number(value: number, unit: string | null | undefined, isFloat = !Number.isInteger(value)): string {
  if (!Number.isFinite(value)) return MISSING;
  switch (unit) {
    case "ns":
      return duration(value);
    case "B":
      return bytes(value);
    case "%":
      return percent(value);
    case "GB/s":
      return `${decimal(value)} GB/s`;
    case "FLOP":
      return scaledCount(value, "FLOP");
    case "GFLOP/s":
      return scaledCount(value * 1e9, "FLOP/s");
    case "FLOP/B":
      return decimal(value);
    case "count":
      return Number.isInteger(value) ? thousands(value) : decimal(value);
    default:
      // Without a unit an integer is a name (rank, stream, step), which has no thousands.
      if (!isFloat) return String(value);
      return value !== 0 && Math.abs(value) < 0.005 ? value.toExponential(1) : decimal(value);
  }
}

/** Any value with its unit. */
export function format(value: Value | undefined, unit?: string | null, isFloat?: boolean): string {
  if (value === null || value === undefined) return MISSING;
  if (typeof value === "number") return number(value, unit, isFloat);
  return typeof value === "string" ? value : value ? "yes" : "no";
}

/** True for a column of differences between two runs. */
export function isChange(column: Pick<Column, "id">): boolean {
  return column.id.startsWith("delta_");
}

/** A value of a column. A change that is an increase has its sign. */
export function cell(value: Value | undefined, column: Column, isFloat?: boolean): string {
  const text = column.id === "macs" && typeof value === "number" ? scaledCount(value, "MAC") : format(value, column.unit, isFloat);
  return isChange(column) && typeof value === "number" && value > 0 ? `+${text}` : text;
}

/** Whether a verdict of a comparison is good news, bad news or neither. */
export function tendency(verdict: Value | undefined): "better" | "worse" | undefined {
  if (verdict === "faster" || verdict === "less") return "better";
  return verdict === "slower" || verdict === "more" || verdict === "fails" ? "worse" : undefined;
}

/** A count with its noun: `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Numbers in order as ranges: `0-3, 5`. */
export function ranges(numbers: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const one of numbers) {
    const last = parts.at(-1);
    if (last && (one === last[1] || one === last[1] + 1)) last[1] = one;
    else parts.push([one, one]);
  }
  return parts.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(", ");
}

/** An id as words, without the unit at its end: `exposed_comm_ns` is "Exposed comm". */
export function words(id: string): string {
  const text = id
    .replace(/_(ns|pct|bytes|gbps|count)$/, "")
    .split("_")
    .map((word) => (word === "cpu" || word === "gpu" ? word.toUpperCase() : word))
    .join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
