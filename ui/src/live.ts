// The document that is shown. With a server it is asked for again when a run has changed; what is selected stays, because
// that is not in the document.

import { batch, signal } from "@preact/signals";
import { say } from "./kit/export";
import type { Source } from "./source";
import type { Run } from "./runs";
import { generation } from "./source/cache";
import type { Document } from "./source/document";
import { Refused, run } from "./source/http";
import { START } from "./source/start";

/** The document, once there is one. */
export const shown = signal<Document | null>(null);
/** Why there is none. */
export const problem = signal<Error | null>(null);

/** Asks for the document, and again whenever the server says that a run has changed. Returns how to stop. */
export function follow(source: Source): () => void {
  let asked = 0;
  const ask = async () => {
    const mine = ++asked;
    try {
      const found = check(await source.document().catch((error: unknown) => started(source, error)));
      // Answers may overtake each other: only the last question counts.
      if (mine !== asked) return;
      const isNew = shown.value !== null;
      // All of the page goes over to the run as it is now at one time.
      batch(() => {
        shown.value = found;
        problem.value = null;
        if (isNew) generation.value++;
      });
      if (isNew) say("A run changed; the page shows its current state");
    } catch (error) {
      if (mine !== asked) return;
      const told = error instanceof Error ? error : new Error(String(error));
      // What was shown is still true of what was read; it stays.
      if (shown.value) say(`Cannot reload the run: ${told.message}`);
      else problem.value = told;
    }
  };
  void ask();
  if (!source.live) return () => {};
  return source.listen("events", (message) => {
    if (message.kind === "run") void ask();
  });
}

/** What is shown if the server has no run yet; else its words stand. */
async function started(source: Source, error: unknown): Promise<Document> {
  const isEmpty = error instanceof Refused && error.status === 404 && run() === "latest" && (await source.ask<Run[]>("runs")).length === 0;
  if (isEmpty) return START;
  throw error;
}

/** Where answers of other verbs than `report` are best seen first. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  bench: "bench", comm: "communication", compile: "compile", device: "devices", diff: "compare", flame: "flame",
  kernels: "kernels", memory: "memory", predict: "roofline", roofline: "roofline", start: "open", timeline: "timeline",
};

/** Sections that an overview is made of. */
const OVERVIEW: ReadonlySet<string> = new Set(["cpu-time", "kernels", "temporal-breakdown"]);
/** Where reports are best seen that have none of them: those of measurements, of compile logs, of sums. */
const OTHERS: readonly (readonly [section: string, view: string])[] = [["roofline", "roofline"], ["comm-roofline", "communication"], ["compile-time", "compile"], ["sums", "sections"], ["memory", "memory"]];

/** The view that a document begins with. */
export function beginning(document: Document): string {
  const verb = /^eaves\.(\w+)\//.exec(document.schema)?.[1] ?? "";
  const has = (id: string) => document.sections.some((one) => one.id === id);
  if (verb === "report" && ![...OVERVIEW].some(has)) return OTHERS.find(([id]) => has(id))?.[1] ?? "overview";
  return BEGINNINGS[verb] ?? "overview";
}

/** A document as the page needs it; throws in words if it is something else. */
export function check(found: unknown): Document {
  const document = found as Partial<Document> | null;
  if (typeof document !== "object" || document === null) throw new Error("this page's data is not an eaves document");
  if (typeof document.schema !== "string" || !document.schema.startsWith("eaves.")) throw new Error(`this page's data is not an eaves document: its schema is ${JSON.stringify(document.schema) ?? "missing"}`);
  const list = <Item>(value: Item[] | undefined): Item[] => (Array.isArray(value) ? value : []);
  return {
    schema: document.schema,
    tool: document.tool ?? { name: "eaves", version: "?" },
    inputs: list(document.inputs),
    warnings: list(document.warnings),
    skipped: list(document.skipped),
    sections: list(document.sections).map((section) => ({ ...section, numbers: list(section.numbers), findings: list(section.findings), tables: list(section.tables) })),
  };
}
