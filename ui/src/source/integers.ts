// Integers of 64 bits, of which JavaScript's numbers hold those up to 2^53 exactly.

/** What `JSON.parse` calls with each value; older browsers do not tell how it was written. */
export type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** Keeps the digits of an integer that a number would round. */
export const keepDigits: Reviver = (_, value, context) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "") ? context?.source : value;

/** The integer of digits that were kept so; undefined for any other text. */
export function exactInteger(text: string): bigint | undefined {
  return /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined;
}
