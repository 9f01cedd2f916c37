// What is selected by what it is, not by its name alone: an operator and the kernels that it launched are one thing in two places.
// Launches are known from the slices, which are read when something is selected and the view that is open asks for it.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Source } from "./source";
import { selected } from "./state";
import { load } from "./views/timeline/load";
import { OPERATOR, Slices } from "./views/timeline/relations";

type Names = ReadonlySet<string>;

/** Names that launched what is selected, or that it launched. */
export const related = signal<Names>(new Set());

/** Whether the view that is open shows any of what is selected: words to say, or nothing. */
export const here = signal<string | null>(null);

/** Of one kernel, so many launches tell by which operators it is launched. */
const LAUNCHES = 64;

/** The operators around the launches of each kernel, and the kernels that each operator launched. */
export function relations(slices: Slices): ReadonlyMap<string, Names> {
  const found = new Map<string, Set<string>>();
  const add = (one: string, other: string) => {
    const names = found.get(one) ?? new Set();
    found.set(one, names.add(other));
  };
  const { launch, name, total } = slices.data;
  const seen = new Uint32Array(slices.data.head.names.length);
  for (let entry = 0; entry < total; entry++) {
    let call = launch[entry]!;
    if (call < 0 || ++seen[name[entry]!]! > LAUNCHES) continue;
    for (call = slices.caller(call); call >= 0; call = slices.caller(call)) {
      if (slices.classOf(call) !== OPERATOR) continue;
      add(slices.nameOf(entry), slices.nameOf(call));
      add(slices.nameOf(call), slices.nameOf(entry));
    }
  }
  return found;
}

const known = new WeakMap<object, ReadonlyMap<string, Names>>();

async function find(source: Source, names: Names): Promise<Names> {
  const data = names.size && source.has?.("timeline") !== false ? await load(source).catch(() => null) : null;
  if (!data) return new Set();
  const all = known.get(data) ?? relations(new Slices(data));
  known.set(data, all);
  return new Set([...names].flatMap((name) => [...(all.get(name) ?? [])]));
}

/** Keeps `related` up to date while a view is open. */
export function useRelated(source: Source): Names {
  const names = selected.value;
  useEffect(() => {
    let isWanted = true;
    void find(source, names).then((found) => isWanted && (related.value = found));
    return () => {
      isWanted = false;
    };
  }, [source, names]);
  return related.value;
}

/** Of some names those that are in a view: the selected ones, else those that are related to them. */
export function shownOf(names: Names, others: Names, has: (name: string) => boolean): Names {
  const own = [...names].filter(has);
  return new Set(own.length ? own : [...others].filter(has));
}

/** Says whether a view has what is selected, while it is open. */
export function useHere(noun: string, marked: Names): void {
  const names = selected.value;
  const isRelated = marked.size > 0 && [...marked].every((name) => !names.has(name));
  const words = names.size === 0 ? null : marked.size === 0 ? `None of it is among the ${noun}` : isRelated ? `Marked here: ${[...marked].slice(0, 3).join(", ")}${marked.size > 3 ? ` and ${marked.size - 3} more` : ""}` : null;
  useEffect(() => {
    here.value = words;
    return () => {
      here.value = null;
    };
  }, [words]);
}
