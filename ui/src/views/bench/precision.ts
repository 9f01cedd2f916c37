// Formats of numbers: their colours, what an element of them takes, and the values that a narrow one can hold.

import type { Format } from "./requests";

/** Colours that benchmarks of precisions are known by. */
const COLOURS: Readonly<Record<string, string>> = {
  fp64: "#a16207",
  fp32: "#ef4444",
  tf32: "#dc2626",
  fp16: "#f97316",
  bf16: "#fb923c",
  fp8_e4m3: "#22c55e",
  fp8_e5m2: "#16a34a",
  mxfp8_e4m3: "#4ade80",
  mxfp8_e5m2: "#86efac",
  mxfp6_e3m2: "#0ea5e9",
  mxfp6_e2m3: "#38bdf8",
  mxfp4: "#8b5cf6",
  mxint8: "#64748b",
  nvfp4: "#a855f7",
  nvfp4_kv: "#c084fc",
  int8: "#06b6d4",
  int4: "#3b82f6",
  nf4: "#ec4899",
  int2: "#6366f1",
};

/** `int4@128:fp16` and `int8/int8` are coloured as their weights. */
export function baseName(precision: string): string {
  const name = precision.toLowerCase().split(/[/@]/)[0] ?? "";
  return name === "fp8" ? "fp8_e4m3" : name === "mxfp8" ? "mxfp8_e4m3" : name === "mxfp6" ? "mxfp6_e3m2" : name;
}

export function colourOf(precision: string): string {
  return Object.hasOwn(COLOURS, baseName(precision)) ? (COLOURS[baseName(precision)] ?? "c8") : "c8";
}

/**
 * Bits of an element with its share of the scales, for points that come without bytes. OCP 8-bit Floating Point 1.0; OCP
 * Microscaling Formats 1.0 (8 bits for 32 elements); NVFP4: 8 bits for 16; NF4: 32 bits for 64 elements.
 */
const BITS: Readonly<Record<string, number>> = {
  fp64: 64, fp32: 32, tf32: 32, fp16: 16, bf16: 16, fp8_e4m3: 8, fp8_e5m2: 8, int8: 8, int4: 4, int2: 2,
  mxfp8_e4m3: 8.25, mxfp8_e5m2: 8.25, mxint8: 8.25, mxfp6_e3m2: 6.25, mxfp6_e2m3: 6.25, mxfp4: 4.25, nvfp4: 4.5, nvfp4_kv: 4.5, nf4: 4.5,
};

export function bitsOf(precision: string): number | null {
  const name = baseName(precision);
  return Object.hasOwn(BITS, name) ? (BITS[name] ?? null) : null;
}

/** What a product must do at least: operations, and bytes of operands and result. Results are never below 16 bits. */
export function amounts(m: number, n: number, k: number, bits: number): { flops: number; bytes: number } {
  const output = Math.max(2, bits / 8);
  return { flops: 2 * m * n * k, bytes: ((m * k + k * n) * bits) / 8 + m * n * output };
}

/** The values that are not negative of a float or integer of few bits, in order; none if they are too many to show. */
export function valuesOf(format: Pick<Format, "element_bits" | "exponent_bits" | "mantissa_bits" | "largest" | "family">): number[] {
  const { exponent_bits: exponents, mantissa_bits: mantissas, largest } = format;
  if (format.element_bits > 8 || format.family === "lookup" || format.family === "plain") return [];
  if (exponents === 0) return Array.from({ length: Math.floor(largest) + 1 }, (_, value) => value);
  const bias = 2 ** (exponents - 1) - 1;
  const found: number[] = [];
  for (let exponent = 0; exponent < 2 ** exponents; exponent += 1) {
    for (let mantissa = 0; mantissa < 2 ** mantissas; mantissa += 1) {
      const fraction = mantissa / 2 ** mantissas;
      const value = exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias);
      // Codes above the largest value are no numbers.
      if (value <= largest) found.push(value);
    }
  }
  return found;
}
