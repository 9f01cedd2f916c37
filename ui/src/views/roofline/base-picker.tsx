// The run, or the input of this document, that points are compared with.

import { useMemo } from "preact/hooks";
import { duration, thousands } from "../../format";
import { all, label, only } from "../../kit/inputs";
import { useOtherRuns, useRunDocument } from "../../other-run";
import type { Source } from "../../source";
import type { Document } from "../../source/document";
import { changeText } from "./baseline";
import { keep } from "./choices";
import { type Data, type Point, read } from "./data";

export interface Base {
  choices: readonly { id: string; title: string }[];
  wanted: string;
  /** What it is called. */
  title: string;
  data: Data | null;
}

/** What is compared with, once it is there. */
export function useBase(source: Source, document: Document, input: number, wanted: string): Base {
  const others = useOtherRuns(source);
  const there = useRunDocument(source, wanted);
  const inputs = all(document, "roofline").flatMap((section, index) => (index === input ? [] : [{ id: `input ${index}`, title: label(section) || `input ${index + 1}` }]));
  const choices = [...inputs, ...others];
  const chosen = choices.find((one) => one.id === wanted);
  const place = /^input (\d+)$/.exec(chosen?.id ?? "")?.[1];
  const data = useMemo(() => {
    if (place !== undefined) return read(only(document, "roofline", Number(place)));
    return there ? read(there) : null;
  }, [document, place, there]);
  return { choices, wanted: chosen ? wanted : "", title: chosen?.title ?? "", data: chosen ? data : null };
}

export function BasePicker({ base, before }: { base: Base; before: readonly (Point | null)[] | null }) {
  if (base.choices.length === 0) return null;
  const same = before?.filter(Boolean).length ?? 0;
  return (
    <label>
      <span class="quiet">Compare with</span>{" "}
      <select value={base.wanted} aria-label="Compare with" onChange={(event) => keep("base", event.currentTarget.value || null)}>
        <option value="">nothing</option>
        {base.choices.map((one) => (
          <option key={one.id} value={one.id}>
            {one.title}
          </option>
        ))}
      </select>
      {before && base.data ? (
        <span class="quiet">
          {" "}
          {thousands(same)} in both, {thousands(before.length - same)} only here, {thousands(base.data.points.length - same)} only there
        </span>
      ) : null}
    </label>
  );
}

/** What a point was, for its tooltip. */
export function comparedLines(now: Point, before: Point | null, title: string): [string, string][] {
  if (!before) return [];
  const lines: [string, string][] = [];
  if (before.time !== null) lines.push([`Time in ${title}`, duration(before.time)]);
  const by = changeText(now, before);
  if (by) lines.push(["A call takes", by]);
  return lines;
}
