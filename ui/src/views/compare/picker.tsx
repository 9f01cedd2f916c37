// Which two runs of the server are compared.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Empty } from "../../kit/panel";
import type { Source } from "../../source";
import type { Document } from "../../source/document";
import { askRuns, runs } from "../../runs";
import { run } from "../../source/http";
import { set, setting } from "../../state";

/** The answer for the runs that are chosen, or why there is none. */
export const picked = signal<{ document?: Document; problem?: string }>({});

/** The runs that are compared: the one that is open with another one, if there is only one other. */
export function chosenRuns(): { base: string; next: string } {
  const ids = runs.value.map((one) => one.id);
  const open = run() === "latest" ? ids.at(-1) : run();
  const next = setting("compare.new") || (open ?? "");
  const others = ids.filter((id) => id !== next);
  return { base: setting("compare.base") || (others.length === 1 ? others[0]! : ""), next };
}

export function Picker({ source }: { source: Source }) {
  const { base, next } = chosenRuns();
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
    return <Empty>The server has only one run. Open another one to compare them.</Empty>;
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
      {base && base === next ? <span class="quiet">Choose two different runs.</span> : base ? null : <span class="quiet">Choose the run before the change.</span>}
      <button
        type="button"
        class="button"
        disabled={!base || !next}
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
