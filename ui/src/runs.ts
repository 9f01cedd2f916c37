// The runs that the server has.

import { signal } from "@preact/signals";
import type { Source } from "./source";

export interface Run {
  id: string;
  title: string;
  state?: string;
  /** Why it cannot be read. */
  error?: string | null;
  inputs?: readonly string[];
}

/** The newest last. */
export const runs = signal<readonly Run[]>([]);

/** Asks for them; rejects with the words of the server. */
export async function askRuns(source: Source): Promise<void> {
  if (source.live) runs.value = await source.ask<Run[]>("runs");
}

/** Opens files of this machine as one run; returns its id. */
export async function upload(source: Source, files: Iterable<File>): Promise<string> {
  const form = new FormData();
  for (const file of files) form.append("file", file, file.name);
  return (await source.ask<{ id: string }>("runs", form)).id;
}

/** Shows another run: the same page with another address, so that a link to it works. What is selected stays, unless it is opened for the first time. */
export function openRun(id: string, isNew = false): void {
  const search = new URLSearchParams(location.search);
  search.set("run", id);
  location.assign(`${location.pathname}?${search}${isNew ? "" : location.hash}`);
}
