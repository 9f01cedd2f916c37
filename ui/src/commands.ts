// What the palette knows of every page: views, tables, names, ranks.

import { showSection } from "./kit/explain";
import { bound } from "./kit/keys";
import type { Command } from "./kit/palette";
import { nameColumn } from "./kit/rows";
import { choose } from "./kit/theme";
import type { Document } from "./source/document";
import { rank, select, view } from "./state";
import { type Props, VIEWS } from "./views";

/** Names are for finding, not for reading all of them. */
const MOST_NAMES = 20_000;

/** Every name of the tables, with the title of the first section that has it. */
export function names(document: Document): Map<string, string> {
  const found = new Map<string, string>();
  for (const section of document.sections) {
    for (const table of section.tables) {
      const at = nameColumn(table);
      if (at < 0) continue;
      for (const row of table.rows) {
        const name = row[at];
        if (typeof name === "string" && !found.has(name)) found.set(name, section.title);
        if (found.size >= MOST_NAMES) return found;
      }
    }
  }
  return found;
}

/** The ranks that were recorded, in order. */
export function ranks(document: Document): number[] {
  const found = new Set<number>();
  for (const input of document.inputs) if (typeof input.rank === "number") found.add(input.rank);
  return [...found].sort((a, b) => a - b);
}

export function frameCommands({ document }: Props): Command[] {
  const commands: Command[] = VIEWS.map((one) => ({ title: one.title, hint: "view", run: () => void (view.value = one.id) }));
  for (const key of bound.value) {
    if (key.listed || key.group === "Views" || key.keys.length === 0) continue;
    commands.push({ title: key.does, hint: key.keys.join(" "), run: () => void key.run(new KeyboardEvent("keydown", { key: key.keys[0] ?? "" })) });
  }
  for (const one of ["auto", "light", "dark"] as const) commands.push({ title: `Theme: ${one}`, hint: "page", run: () => choose(one) });
  const all = ranks(document);
  if (all.length > 1) {
    commands.push({ title: "All ranks", hint: "rank", run: () => void (rank.value = null) });
    for (const one of all) commands.push({ title: `Rank ${one}`, hint: "rank", run: () => void (rank.value = one) });
  }
  for (const section of document.sections) {
    commands.push({ title: section.title, hint: "section", run: () => showSection(section.id) });
    for (const table of section.tables) {
      commands.push({ title: table.title ?? table.id, hint: `table of ${section.id}`, run: () => showSection(section.id, table.id) });
    }
  }
  for (const [name, of] of names(document)) commands.push({ title: name, hint: of, run: () => select([name]) });
  return commands;
}
