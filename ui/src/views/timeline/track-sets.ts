// What of the timeline the address keeps: tracks that are pinned, hidden, folded or closed, the slice and the area that are chosen.
// Rows and tracks stand there by their numbers, which are the same in every payload of a recording.

import { ranges } from "../../format";
import { set, setting } from "../../state";
import type { Row } from "./data";
import type { Area } from "./scene";

/** The slice that is chosen, wherever it stands in the payload that is shown. */
export interface Chosen {
  readonly key: string;
  readonly start: number;
  readonly name: string;
}

/** Keys that are kept in the address under a name. */
export function keysOf(name: string): Set<string> {
  return new Set(setting(`timeline.${name}`).split("\n").filter(Boolean));
}

export function keepKeys(name: string, keys: ReadonlySet<string>): void {
  set(`timeline.${name}`, keys.size ? [...keys].join("\n") : null);
}

/** Numbers of `0-3,5`, of those that there are. */
function numbers(text: string, count: number): number[] {
  return text.split(",").flatMap((part) => {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    if (first === undefined) return [];
    const found: number[] = [];
    for (let at = Number(first); at <= Math.min(Number(last), count - 1); at++) found.push(at);
    return found;
  });
}

/** Numbers of things that a set has, as text. */
function listed<Item extends { readonly key: string }>(all: readonly Item[], keys: ReadonlySet<string>): string {
  return ranges(all.flatMap((one, at) => (keys.has(one.key) ? [at] : []))).replaceAll(", ", ",");
}

const keysAt = (all: readonly { readonly key: string }[], text: string) => new Set(numbers(text, all.length).map((at) => all[at]!.key));

export function sliceText(chosen: Chosen, rows: readonly Row[]): string {
  return `${rows.findIndex((row) => row.key === chosen.key)} ${chosen.start} ${chosen.name}`;
}

/** The slice of a text; none if it is of another recording. */
export function sliceOf(text: string, rows: readonly Row[]): Chosen | null {
  const [, row, start, name] = /^(\d+) (-?\d+(?:\.\d+)?) (.*)$/s.exec(text) ?? [];
  const key = rows[Number(row)]?.key;
  return key === undefined || start === undefined || name === undefined ? null : { key, start: Number(start), name };
}

export function areaText({ from, to, keys }: Area, rows: readonly Row[]): string {
  return `${Math.round(from)} ${Math.round(to)} ${listed(rows, keys)}`;
}

export function areaOf(text: string, rows: readonly Row[]): Area | null {
  const [, from, to, list] = /^(-?\d+) (-?\d+) ([\d,-]+)$/.exec(text) ?? [];
  const keys = keysAt(rows, list ?? "");
  return keys.size && Number(from) < Number(to) ? { from: Number(from), to: Number(to), keys } : null;
}

/** Tracks that are folded; null if nobody has said which. */
export function foldedIn(text: string, tracks: readonly { readonly key: string }[]): ReadonlySet<string> | null {
  return text ? keysAt(tracks, text) : null;
}

export function keepFolded(keys: ReadonlySet<string>, tracks: readonly { readonly key: string }[]): void {
  set("timeline.folded", listed(tracks, keys) || "none");
}
