// What all views share: which view, what is selected, which time. It is kept in the hash of the address, so that a link or
// a saved page opens as it was.

import { batch, effect, signal } from "@preact/signals";

/** A span of time in nanoseconds from the start of the recording. */
export type Range = readonly [number, number];

/** The view that is open. */
export const view = signal("overview");
/** Names of kernels and operators that are selected, in all views. */
export const selected = signal<ReadonlySet<string>>(new Set());
/** The time that is looked at; null is all of it. */
export const range = signal<Range | null>(null);
/** The rank that is looked at; null is all of them. */
export const rank = signal<number | null>(null);
/** What views keep for themselves, by `view.name`. Only what differs from its default is here. */
export const settings = signal<Readonly<Record<string, string>>>({});

export function select(names: Iterable<string>): void {
  selected.value = new Set(names);
}

/** Adds a name to the selection, or takes it out. */
export function toggle(name: string): void {
  const names = new Set(selected.value);
  if (!names.delete(name)) names.add(name);
  selected.value = names;
}

/** What the page was made with: settings that hold until somebody changes them. Never in the address. */
export const made = signal<Readonly<Record<string, string>>>({});

/** What a setting is if nobody changes it. */
export function usual(key: string, otherwise = ""): string {
  return made.value[key] ?? otherwise;
}

/** A setting of a view, with its default. */
export function setting(key: string, otherwise = ""): string {
  return settings.value[key] ?? usual(key, otherwise);
}

/** Changes a setting; null takes it back to its default. */
export function set(key: string, value: string | null): void {
  const next: Record<string, string> = { ...settings.value };
  if (value === null) delete next[key];
  else next[key] = value;
  settings.value = next;
}

const SHARED = new Set(["view", "select", "time", "rank"]);

export function encode(): string {
  const hash = new URLSearchParams();
  hash.set("view", view.value);
  for (const name of selected.value) hash.append("select", name);
  if (range.value) hash.set("time", range.value.map(Math.round).join("-"));
  if (rank.value !== null) hash.set("rank", String(rank.value));
  for (const [key, value] of Object.entries(settings.value)) hash.set(key, value);
  return hash.toString();
}

/** Takes everything over at once: whoever saw the new view with the old rest would take that for a change of its own. */
export function decode(text: string): void {
  const hash = new URLSearchParams(text.replace(/^#/, ""));
  const time = /^(-?\d+)-(-?\d+)$/.exec(hash.get("time") ?? "");
  const found = Number.parseInt(hash.get("rank") ?? "", 10);
  batch(() => {
    view.value = hash.get("view") ?? "overview";
    selected.value = new Set(hash.getAll("select"));
    range.value = time && Number(time[1]) < Number(time[2]) ? [Number(time[1]), Number(time[2])] : null;
    rank.value = Number.isNaN(found) ? null : found;
    settings.value = Object.fromEntries([...hash].filter(([key]) => !SHARED.has(key)));
  });
}

/** Milliseconds between two changes of the address: browsers allow some hundred in half a minute. */
const SELDOM = 200;

/** Reads the address once, then writes it after every change and follows the browser's history. */
export function keepInAddress(): void {
  decode(location.hash);
  let opened = view.value;
  addEventListener("hashchange", () => {
    if (location.hash.slice(1) === encode()) return;
    // Where the browser went is no step of the page.
    opened = new URLSearchParams(location.hash.slice(1)).get("view") ?? "overview";
    decode(location.hash);
  });
  let wrote = 0;
  let latest = location.hash;
  let pending: ReturnType<typeof setTimeout> | undefined;
  const write = (hash: string, how: "pushState" | "replaceState" = "replaceState") => {
    wrote = Date.now();
    try {
      history[how](null, "", hash);
    } catch {
      // A frame inside of another page, as notebooks have it, may have no address of its own. All else works without.
    }
  };
  effect(() => {
    const hash = `#${encode()}`;
    const before = latest;
    latest = hash;
    clearTimeout(pending);
    if (hash === location.hash) return;
    // Another view is a step to come back from; the rest is not. Sliders change faster than browsers let the address.
    const wait = wrote + SELDOM - Date.now();
    if (view.value !== opened) {
      // What was changed a moment before is of the view that is left, and there when one comes back to it.
      if (before !== location.hash) write(before);
      write(hash, "pushState");
    } else if (wait > 0) pending = setTimeout(write, wait, hash);
    else write(hash);
    opened = view.value;
  });
}
