// Which two runs of the server are compared.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Empty } from "../../kit/panel";
import type { Source } from "../../source";
import type { Document } from "../../source/document";
import { askRuns, runs } from "../../runs";
import { set, setting } from "../../state";

/** The answer for the runs that are chosen, or why there is none. */
export const picked = signal<{ document?: Document; problem?: string }>({});

export function Picker({ source }: { source: Source }) {
  const base = setting("compare.base");
  const next = setting("compare.new");
  useEffect(() => {
    askRuns(source).catch((error: unknown) => (picked.value = { problem: error instanceof Error ? error.message : String(error) }));
  }, [source]);
  useEffect(() => {
    if (!base || !next || base === next) {
      picked.value = {};
      return;
    }
    let isWanted = true;
    source
      .ask<Document>(`runs/${encodeURIComponent(next)}/diff?base=${encodeURIComponent(base)}`)
      .then((document) => isWanted && (picked.value = { document }))
      .catch((error: unknown) => isWanted && (picked.value = { problem: error instanceof Error ? error.message : String(error) }));
    return () => {
      isWanted = false;
    };
  }, [source, base, next]);
  if (runs.value.length < 2 && !picked.value.problem) {
    return <Empty>The server has only one run. Start `eaves open` with two to compare them.</Empty>;
  }
  const choice = (key: string, value: string, label: string) => (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => set(key, event.currentTarget.value || null)}>
        <option value="">choose a run</option>
        {runs.value.map((run) => (
          <option key={run.id} value={run.id}>
            {run.title}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="quick">
      {choice("compare.base", base, "Base")}
      {choice("compare.new", next, "New")}
      <button
        type="button"
        class="button"
        disabled={!base && !next}
        onClick={() => {
          set("compare.base", next || null);
          set("compare.new", base || null);
        }}
      >
        Swap
      </button>
    </div>
  );
}
