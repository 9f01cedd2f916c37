// Light or dark: as the system has it, unless somebody chose. Canvases read colours with `colour` and redraw on `theme`.

import { computed, effect, signal } from "@preact/signals";
import { set, setting } from "../state";

export type Choice = "auto" | "light" | "dark";

const dark = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
const system = signal<"light" | "dark">(dark?.matches ? "dark" : "light");
dark?.addEventListener("change", (event) => (system.value = event.matches ? "dark" : "light"));

/** What was chosen: in the address, else earlier in this browser. */
export const choice = computed<Choice>(() => {
  const chosen = setting("theme", remembered());
  return chosen === "light" || chosen === "dark" ? chosen : "auto";
});

/** What is shown. */
export const theme = computed<"light" | "dark">(() => (choice.value === "auto" ? system.value : choice.value));

const KEY = "eaves.theme";

function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? "auto";
  } catch {
    return "auto";
  }
}

export function choose(next: Choice): void {
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A browser that keeps nothing for files still has the address.
  }
  set("theme", next);
}

/** Keeps the document in the theme; returns how to stop. */
export function keepTheme(): () => void {
  return effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}

/** A colour of the style sheet by its name without dashes, such as `compute`, for canvases. Reading it follows the theme. */
export function colour(name: string): string {
  // Whoever redraws may be told before the document is.
  document.documentElement.dataset.theme = theme.value;
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
