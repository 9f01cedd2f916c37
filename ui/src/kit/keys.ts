// All keys of the page in one place: views add theirs while they are open, and the help lists what is bound.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export interface Key {
  /** As people write it: `Ctrl+K`, `?`, `ArrowUp`. More than one may do the same. */
  keys: readonly string[];
  /** What it does, for the help and the palette. */
  does: string;
  /** Under which heading the help lists it. */
  group: string;
  /** False leaves the key to whoever is next. */
  run(event: KeyboardEvent): void | false;
  /** Works while a text field has the focus too. */
  everywhere?: boolean;
  /** Only listed: the part that has the focus hears it itself. */
  listed?: boolean;
}

/** What is bound now, the oldest first. */
export const bound = signal<readonly Key[]>([]);

/** Binds keys; returns how to unbind them. What was bound last is asked first. */
export function bind(keys: readonly Key[]): () => void {
  bound.value = [...bound.value, ...keys];
  return () => {
    bound.value = bound.value.filter((key) => !keys.includes(key));
  };
}

/** What lies on the page and goes with Escape, the topmost last. */
interface Layer {
  close(): void;
  /** True if nothing below it may be reached. */
  modal: boolean;
}

const layers: Layer[] = [];

/** Puts something on top of the page: Escape closes it first, and if it is modal, no key goes past it. Returns how to take it away. */
export function layOver(close: () => void, modal: boolean): () => void {
  const layer = { close, modal };
  layers.push(layer);
  return () => void layers.splice(layers.indexOf(layer), 1);
}

/** Binds keys while a component is on the page. `keys` must be of the module or memoised by what it depends on. */
export function useKeys(make: () => readonly Key[], inputs: readonly unknown[] = []): void {
  useEffect(() => bind(make()), [...inputs]);
}

/** The name of a pressed key in the form of `Key.keys`. */
export function nameOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  const parts: string[] = [];
  // The command key of a Mac does what Ctrl does elsewhere.
  if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  // Shift is in the letter already: `?`, `A`.
  if (event.shiftKey && event.key.length > 1) parts.push("Shift");
  const key = event.key === " " ? "Space" : event.key;
  parts.push(parts.length > 0 && key.length === 1 ? key.toUpperCase() : key);
  return parts.join("+");
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "range", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

/** Runs what is bound to a key; true if something was. */
export function press(event: KeyboardEvent): boolean {
  if (event.defaultPrevented) return false;
  const name = nameOf(event);
  const typing = isTyping(event.target);
  const top = layers.at(-1);
  if (top && name === "Escape") {
    top.close();
    event.preventDefault();
    return true;
  }
  if (top?.modal) return false;
  for (const key of bound.value.toReversed()) {
    if (key.listed || !key.keys.includes(name) || (typing && !key.everywhere)) continue;
    if (key.run(event) === false) continue;
    event.preventDefault();
    return true;
  }
  return false;
}

/** Hears the keyboard for the whole page; returns how to stop. */
export function hearKeys(): () => void {
  const hear = (event: KeyboardEvent) => void press(event);
  addEventListener("keydown", hear);
  return () => removeEventListener("keydown", hear);
}
