// Two runs: what changed beyond what repeated steps differ by themselves.

import type { Props, View } from "..";
import { shorten } from "../../kit/names";
import { Numbers } from "../../kit/numbers";
import { Empty } from "../../kit/panel";
import { FindingsPanel, openTab, SubTabs, TablePanel } from "../../kit/section";
import { type Document, section } from "../../source/document";
import type { Source } from "../../source";
import { set, setting, view } from "../../state";
import { Changes } from "./changes";
import { chosenRuns, Picker, picked } from "./picker";

function Compare({ source, document }: Props) {
  const answer = section(document, "diff") ? { document } : picked.value;
  const found = answer.document && section(answer.document, "diff");
  return (
    <>
      {source.live ? <Picker source={source} /> : null}
      {"problem" in answer && answer.problem ? <Empty>These runs cannot be compared: {answer.problem}</Empty> : null}
      {answer.document && found ? <Pictures source={source} /> : null}
      {answer.document && found ? <Diff document={answer.document} /> : null}
    </>
  );
}

/** The way to what the comparison looks like. */
function Pictures({ source }: { source: Source }) {
  const search = new URLSearchParams(location.search);
  const { base, next } = chosenRuns();
  search.set("run", next);
  const there = (["flame", "timeline"] as const).filter((part) => source.has?.(part) !== false);
  if (!there.length) return <p class="quiet">Two traces also have a flame graph of their differences and timelines side by side; saved reports do not.</p>;
  return (
    <p class="sides">
      {there.map((part) => {
        const title = part === "flame" ? "Differential flame graph" : "Timelines of both runs";
        return source.live ? (
          <a key={part} href={`?${search}#view=${part}&base=run+${encodeURIComponent(base)}`}>
            {title}
          </a>
        ) : (
          // A file may be inside of another page, where its address is not its own.
          <button type="button" class="link" key={part} onClick={() => (view.value = part)}>
            {title}
          </button>
        );
      })}
    </p>
  );
}

function Diff({ document }: { document: Document }) {
  const found = section(document, "diff");
  if (!found) return null;
  const tabs = found.tables
    .filter((table) => table.id !== "summary")
    // What people look at first.
    .toSorted((a, b) => Number(b.id === "kernels") - Number(a.id === "kernels") || Number(a.id === "counts") - Number(b.id === "counts"))
    .map((table) => ({ id: table.id, title: `${table.id[0]?.toUpperCase()}${table.id.slice(1)} (${table.rows.length})` }));
  const open = openTab("compare.table", tabs);
  const table = found.tables.find((one) => one.id === open);
  const roles = (role: string) => document.inputs.filter((input) => input.role === role).map((input) => input.path);
  const [base, next] = [roles("base"), roles("new")];
  const key = `diff.${open}.filter`;
  const filter = setting(key);
  return (
    <>
      {base.length || next.length ? (
        <p class="sides">
          {([["base", "info", base], ["new", "warning", next]] as const).map(([role, tone, paths]) => (
            <span key={role}>
              <span class={`label ${tone}`}>{role}</span>
              <code title={paths.join("\n")}>{shorten(paths[0] ?? "", 70)}</code>
              {paths.length > 1 ? ` and ${paths.length - 1} more` : ""}
            </span>
          ))}
        </p>
      ) : null}
      <FindingsPanel title="Changes" sections={[found]} />
      <Changes document={document} />
      <details class="more">
        <summary>What was compared</summary>
        <Numbers section={found} />
      </details>
      <SubTabs id="compare.table" tabs={tabs} label="Tables of changes" />
      {table ? (
        <>
          <div class="quick" role="group" aria-label="Quick filters">
            {(
              [
                ["", "All"],
                ["-noise -unchanged", "Beyond noise"],
                ["verdict:slower", "Slower"],
                ["verdict:faster", "Faster"],
                ["verdict:added", "Only in new"],
                ["verdict:removed", "Only in base"],
              ] as const
            ).map(([wish, title]) => (
              <button type="button" class="button" key={title} aria-pressed={filter === wish} onClick={() => set(key, wish || null)}>
                {title}
              </button>
            ))}
          </div>
          <TablePanel document={document} section={found} table={table} rows={16} />
        </>
      ) : null}
    </>
  );
}

export const compare: View = {
  id: "compare",
  title: "Compare",
  missing: ({ source, document }) =>
    source.live || section(document, "diff") ? undefined : "This page contains one run. `eaves diff BEFORE AFTER -o diff.html` compares two; saved pages and JSON are inputs, too.",
  Component: Compare,
};
