// Questions in SQL about the run that is shown. The server answers them, so that a file has none of this.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Props, View } from "..";
import { counted, decimal } from "../../format";
import { useKeys } from "../../kit/keys";
import { Empty, Panel, Prose } from "../../kit/panel";
import { DataTable } from "../../kit/table";
import { run } from "../../source/http";
import { set, setting } from "../../state";
import { commandOf, type Known, MOST_ROWS, placeOf } from "./answer";
import { examples } from "./examples";
import { ask, asked, type Asked, isAsking } from "./state";
import { Tables } from "./tables";
import "./query.css";

function Query({ source, document }: Props) {
  const [known, setKnown] = useState<Known | null>(null);
  const [refused, setRefused] = useState<Error | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const sql = setting("query.sql");
  const write = (text: string) => set("query.sql", text || null);
  useEffect(() => {
    source.ask<Known>(`runs/${encodeURIComponent(run())}/query/tables`).then(setKnown, setRefused);
  }, [source]);
  // A link opens with its answer, and a run that was read anew is asked anew.
  const shown = useRef(asked.value ? document : null);
  useEffect(() => {
    if (!known || shown.current === document) return;
    shown.current = document;
    void ask(source, asked.value?.sql ?? sql);
  }, [known, document]);
  const start = () => void ask(source, setting("query.sql"));
  useKeys(() => [{ keys: ["Ctrl+Enter"], does: "Ask", group: "Query", everywhere: true, run: start }], [source]);
  if (refused)
    return (
      <Empty>
        <Prose text={refused.message} sentence />
      </Empty>
    );
  if (!known) return <Empty>Loading tables…</Empty>;

  const put = (word: string) => {
    const area = field.current;
    if (!area) return;
    area.focus();
    area.setRangeText(word, area.selectionStart, area.selectionEnd, "end");
    write(area.value);
  };
  const goTo = (at: number) => {
    field.current?.focus();
    field.current?.setSelectionRange(at, at);
  };
  const answer = asked.value;
  return (
    <div class="query">
      <div class="query-work">
        <Panel
          title="Question"
          note="SQL about this run. Times are in nanoseconds."
          tools={
            <select
              aria-label="Examples"
              value=""
              onChange={(event) => {
                write(event.currentTarget.value);
                start();
              }}
            >
              <option value="">Examples</option>
              {examples(known).map((one) => (
                <option key={one.title} value={one.sql}>
                  {one.title}
                </option>
              ))}
            </select>
          }
        >
          <textarea ref={field} class="sql" rows={9} spellcheck={false} aria-label="Question in SQL" placeholder={examples(known)[0]?.sql} value={sql} onInput={(event) => write(event.currentTarget.value)} />
          <div class="quick">
            <button type="button" class="button primary" disabled={!sql.trim()} onClick={start}>
              Run
            </button>
            <kbd>Ctrl Enter</kbd>
            <span class="quiet" role="status">
              {isAsking.value ? "Asking…" : answer?.table ? told(answer) : ""}
            </span>
          </div>
          {answer?.problem ? <Problem sql={answer.sql} message={answer.problem} goTo={sql === answer.sql ? goTo : undefined} /> : null}
        </Panel>
        <Tables known={known} put={put} />
      </div>
      {answer?.table ? (
        <Panel
          title="Answer"
          note={answer.truncated ? `These are the first ${counted(MOST_ROWS, "row")}; use the command line for all.` : undefined}
          exports={{ name: "query", table: () => answer.table!, command: commandOf(document, answer.sql) }}
        >
          <DataTable id="query" table={answer.table} rows={20} />
        </Panel>
      ) : null}
    </div>
  );
}

function told({ table, truncated, milliseconds = 0 }: Asked): string {
  const rows = counted(table?.rows.length ?? 0, "row");
  return `${truncated ? "The first " : ""}${rows} in ${milliseconds < 1000 ? `${Math.max(1, Math.round(milliseconds))} ms` : `${decimal(milliseconds / 1000)} s`}`;
}

/** What the server says against a question, with the place in it. */
function Problem({ sql, message, goTo }: { sql: string; message: string; goTo: ((at: number) => void) | undefined }) {
  const place = placeOf(message, sql);
  return (
    <div class="query-problem" role="alert">
      <p>
        <Prose text={message} sentence />
      </p>
      {place ? (
        <>
          <pre>{`${place.text}\n${" ".repeat(place.column - 1)}^`}</pre>
          {goTo ? (
            <button type="button" class="link" onClick={() => goTo(place.at)}>
              Go to line {place.line}, column {place.column}
            </button>
          ) : null}
        </>
      ) : null}
    </div>
  );
}

/** True if the build that serves the page has no SQL. */
function lacksSql(): boolean {
  return (window.document.getElementById("app")?.dataset.lacks ?? "").split(" ").includes("sql");
}

export const query: View = {
  id: "query",
  title: "Query",
  missing({ source }) {
    if (!source.live) return "This page is a file. `eaves open TRACE` runs SQL queries here; `eaves query 'SELECT ...' TRACE` prints the answer.";
    return lacksSql() ? "This build of eaves has no SQL; build it with `--features sql`. `eaves export TRACE --to parquet -o FOLDER` writes the tables for DuckDB and others." : undefined;
  },
  Component: Query,
};
