// Another run of the server, to hold the one that is shown against.

import { useEffect, useState } from "preact/hooks";
import { say } from "./kit/export";
import { askRuns, runs } from "./runs";
import type { Source } from "./source";
import type { Document } from "./source/document";
import { run } from "./source/http";

/** The runs that are not shown, by ids such as `run 3`; none without a server. */
export function useOtherRuns(source: Source): { id: string; title: string }[] {
  useEffect(() => void askRuns(source).catch(() => {}), [source]);
  const shown = run() === "latest" ? runs.value.at(-1)?.id : run();
  return runs.value.filter((one) => source.live && one.id !== shown).map((one) => ({ id: `run ${one.id}`, title: one.title }));
}

/** The document of a run with such an id, once it is there. */
export function useRunDocument(source: Source, wanted: string): Document | null {
  const [read, setRead] = useState<{ id: string; document: Document } | null>(null);
  const id = /^run (.+)$/.exec(wanted)?.[1];
  useEffect(() => {
    if (!source.live || id === undefined) return;
    let isWanted = true;
    source.ask<Document>(`runs/${encodeURIComponent(id)}/document`).then(
      (document) => isWanted && setRead({ id, document }),
      (error: unknown) => isWanted && say(`The other run cannot be read: ${error instanceof Error ? error.message : String(error)}`),
    );
    return () => {
      isWanted = false;
    };
  }, [source, id]);
  return id !== undefined && read?.id === id ? read.document : null;
}
