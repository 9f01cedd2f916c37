// Another run of the server, to hold the one that is shown against.

import { useEffect, useState } from "preact/hooks";
import { say } from "./kit/export";
import { askRuns, runs } from "./runs";
import type { Source } from "./source";
import type { Document } from "./source/document";
import { run } from "./source/http";
import { set, setting } from "./state";

/** A run that is not shown. */
export interface OtherRun {
  id: string;
  title: string;
  /** What it was read from. */
  inputs?: readonly string[];
}

/** The runs that are not shown, by ids such as `run 3`; none without a server. */
export function useOtherRuns(source: Source): OtherRun[] {
  useEffect(() => void askRuns(source).catch(() => {}), [source]);
  const shown = run() === "latest" ? runs.value.at(-1)?.id : run();
  return runs.value.filter((one) => source.live && one.id !== shown).map((one) => ({ ...one, id: `run ${one.id}` }));
}

/** What the server calls a run with such an id. */
export function runId(wanted: string): string | undefined {
  return /^run (.+)$/.exec(wanted)?.[1];
}

/** The run that pictures are compared with, as the address keeps it; undefined until it is known whether there is one. */
export function useBaseRun(source: Source): OtherRun | null | undefined {
  const others = useOtherRuns(source);
  const wanted = setting("base");
  if (!source.live || !wanted) return null;
  return runs.value.length ? (others.find((one) => one.id === wanted) ?? null) : undefined;
}

/** Chooses it; nothing where there is no other run. */
export function BaseRunPicker({ source }: { source: Source }) {
  const others = useOtherRuns(source);
  const base = useBaseRun(source);
  if (!others.length) return null;
  return (
    <label>
      Compare with
      <select value={base?.id ?? ""} onChange={(event) => set("base", event.currentTarget.value || null)}>
        <option value="">nothing</option>
        {others.map((one) => (
          <option key={one.id} value={one.id}>
            {one.title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The document of a run with such an id, once it is there. */
export function useRunDocument(source: Source, wanted: string): Document | null {
  const [read, setRead] = useState<{ id: string; document: Document } | null>(null);
  const id = runId(wanted);
  useEffect(() => {
    if (!source.live || id === undefined) return;
    let isWanted = true;
    source.ask<Document>(`runs/${encodeURIComponent(id)}/document`).then(
      (document) => isWanted && setRead({ id, document }),
      (error: unknown) => isWanted && say(`Cannot read the other run: ${error instanceof Error ? error.message : String(error)}`),
    );
    return () => {
      isWanted = false;
    };
  }, [source, id]);
  return id !== undefined && read?.id === id ? read.document : null;
}
