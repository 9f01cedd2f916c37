// The report of the rank and the time that are looked at: a server makes it, as `eaves report --rank --time` does. A file has
// sums of the whole recording, and the page says so.

import { useEffect, useState } from "preact/hooks";
import type { Source } from "./source";
import { Cache } from "./source/cache";
import type { Document } from "./source/document";
import { run } from "./source/http";
import { type Range, range, rank } from "./state";
import type { View } from "./views";

/** What of the selection a request has. */
export interface Part {
  time?: Range;
  rank?: number[];
}

/** The part of the recording that a view is of. Waiting for others is only known of all ranks, so some views ask for no rank. */
export function partOf(filter: View["filter"]): Part {
  return filter && filter !== "itself" ? looked(filter !== "time") : {};
}

/** What is looked at, as far as a request can say it. */
function looked(withRank: boolean): Part {
  const part: Part = {};
  if (range.value) part.time = [Math.max(0, Math.floor(range.value[0])), Math.max(1, Math.ceil(range.value[1]))];
  if (withRank && rank.value !== null) part.rank = [rank.value];
  return part;
}

/** As options of a command line. */
export function optionsOf({ time, rank: ranks }: Part): string {
  return [ranks ? `--rank ${ranks.join(",")}` : "", time ? `--time ${time[0]}ns..${time[1]}ns` : ""].filter(Boolean).join(" ");
}

/** Options that a command needs to be of what a view shows: sums in a file are of the whole recording. */
export function shownPart(filter: View["filter"], live: boolean): string {
  if (!filter || (filter !== "itself" && !live)) return "";
  return optionsOf(looked(filter !== "time"));
}

const reports = new Cache<Document>(8);

/** A moment, so that a window that is dragged is not asked for at every step. */
const PAUSE_MS = 150;

export interface Filtered {
  document: Document;
  /** What to say of it: nothing, that it is on its way, or why it is of the whole recording. */
  note?: string;
  busy?: true;
}

const SUMS = "This file holds sums over the whole recording; `eaves open` computes those of a selection.";

export function useFiltered(source: Source, whole: Document, filter: View["filter"]): Filtered {
  const part = partOf(filter);
  const wanted = JSON.stringify(part);
  const isAsked = source.live && wanted !== "{}" && whole.schema.startsWith("eaves.report/");
  const [found, setFound] = useState<{ of: Document; wanted: string; document?: Document; problem?: string } | null>(null);
  useEffect(() => {
    if (!isAsked) return undefined;
    let isWanted = true;
    const ask = () =>
      reports
        .get(source, `${run()} ${wanted}`, () => source.ask<Document>("verbs/report", { inputs: [`run:${run()}`], ...part }))
        .then(
          (document) => isWanted && setFound({ of: whole, wanted, document }),
          (error: unknown) => isWanted && setFound({ of: whole, wanted, problem: error instanceof Error ? error.message : String(error) }),
        );
    const timer = setTimeout(ask, PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [source, whole, wanted, isAsked]);
  if (wanted === "{}") return { document: whole };
  if (!isAsked) return { document: whole, ...(part.time ? { note: SUMS } : {}) };
  if (found?.of !== whole || found.wanted !== wanted) return { document: (found?.of === whole && found.document) || whole, note: "Computing…", busy: true };
  return found.document ? { document: found.document } : { document: whole, note: `Of the whole recording: ${found.problem}` };
}
