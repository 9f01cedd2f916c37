// The top of the page: what was read, what is looked at, and the way to the views.

import { useEffect, useMemo, useState } from "preact/hooks";
import { names, ranks } from "./commands";
import { bytes, counted, duration, ranges } from "./format";
import { Explained, type Explanation } from "./kit/explain";
import { openHelp } from "./kit/help";
import { fit, openPalette } from "./kit/palette";
import { shorten } from "./kit/names";
import { type Choice, choice, choose } from "./kit/theme";
import { askRuns, openRun, runs } from "./runs";
import type { Document } from "./source/document";
import { run } from "./source/http";
import { range, rank, select, selected, toggle, view } from "./state";
import { type Props, tabs, type View } from "./views";

/** The last part of a path. */
function leaf(path: string): string {
  return path.split(/[\\/]/).findLast(Boolean) ?? path;
}

/** What the run is called: its file, or the folder that all its files are in. */
export function titleOf(document: Document): string {
  const paths = document.inputs.map((input) => input.path);
  if (paths.length === 0) return "eaves";
  if (paths.length === 1) return leaf(paths[0] ?? "");
  const folders = new Set(paths.map((path) => path.split(/[\\/]/).slice(0, -1).join("/")));
  const [folder] = folders;
  if (folders.size === 1 && folder) return leaf(folder);
  return `${leaf(paths[0] ?? "")} and ${paths.length - 1} more`;
}

/** Which inputs the numbers of the header are sums of. */
function aboutInputs(document: Document): Explanation {
  const MOST = 12;
  const { inputs } = document;
  const lines = inputs.slice(0, MOST).map((input) => [leaf(input.path), [`rank ${input.rank ?? "?"}`, counted(input.events ?? 0, "event"), bytes(input.bytes ?? 0)].join(", ")] as const);
  return {
    title: "What was read",
    text: facts(document),
    formula: "Events over all inputs; sizes are decompressed.",
    inputs: inputs.length > MOST ? [...lines, ["others", counted(inputs.length - MOST, "input")]] : lines,
    provenance: "counter",
  };
}

function facts(document: Document): string {
  const { inputs } = document;
  const events = inputs.reduce((sum, input) => sum + (input.events ?? 0), 0);
  const all = ranks(document);
  const formats = [...new Set(inputs.map((input) => input.format))].join(", ");
  const parts = [counted(inputs.length, "input"), counted(events, "event"), formats];
  if (all.length > 1) parts.splice(1, 0, `ranks ${ranges(all)}`);
  return parts.join(" · ");
}

export function Top(props: Props & { open: View }) {
  const { document, open } = props;
  const all = ranks(document);
  const told = document.warnings.filter((warning) => !warning.harmless).reduce((sum, warning) => sum + warning.count, 0);
  return (
    <header class="top">
      <div class="title-row">
        <h1 title={document.inputs.map((input) => input.path).join("\n")}>
          <span class="brand">
            <svg width="17" height="17" viewBox="0 0 16 16" aria-hidden="true">
              <path d="M1 10.5 6.5 4H15M1 14h14" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" />
            </svg>
            eaves
          </span>
          <span class="unseen">: </span> {titleOf(document)}
        </h1>
        <span class="facts">{document.inputs.length ? <Explained about={() => aboutInputs(document)}>{facts(document)}</Explained> : null}</span>
        <div class="frame-tools">
          {told > 0 ? (
            <button type="button" class="badge" onClick={() => (view.value = "overview")} title={document.warnings.map((warning) => warning.message).join("\n")}>
              ! {counted(told, "warning")}
            </button>
          ) : null}
          {props.source.live ? <RunPicker {...props} /> : null}
          <Search document={document} />
          {all.length > 1 ? (
            <label>
              Rank
              <select aria-label="Rank" value={rank.value === null ? "" : String(rank.value)} onChange={(event) => (rank.value = event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}>
                <option value="">all</option>
                {all.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            </label>
          ) : null}
          <select aria-label="Theme" value={choice.value} onChange={(event) => choose(event.currentTarget.value as Choice)}>
            <option value="auto">Auto</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
          <button type="button" class="button" onClick={() => openPalette()} title="Commands (Ctrl K)">
            ⌘<span class="unseen">Commands</span>
          </button>
          <button type="button" class="button" onClick={openHelp} title="Keys (?)">
            ?<span class="unseen"> Keys</span>
          </button>
        </div>
      </div>
      <Tabs {...props} open={open} />
      <Selection />
    </header>
  );
}

/** Which run of the server is shown, if there are more than one. */
function RunPicker({ source, document }: Props) {
  // A run that changed may also be a new one.
  useEffect(() => void askRuns(source).catch(() => {}), [source, document]);
  const all = runs.value;
  if (all.length < 2) return null;
  const open = run();
  return (
    <label>
      Run
      <select class="run" aria-label="Run" value={open === "latest" ? all.at(-1)?.id : open} onChange={(event) => openRun(event.currentTarget.value)}>
        {all.map((one) => (
          <option key={one.id} value={one.id}>
            {one.title}
          </option>
        ))}
      </select>
    </label>
  );
}

function Tabs(props: Props & { open: View }) {
  const { open } = props;
  const there = tabs(props);
  const all = there.includes(open) ? there : [...there, open];
  // On a narrow screen not all tabs are to be seen, but the one that is open must be.
  useEffect(() => document.getElementById(`tab-${open.id}`)?.scrollIntoView({ block: "nearest", inline: "nearest" }), [open]);
  const press = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    const next = all[(all.indexOf(open) + by + all.length) % all.length];
    if (!next) return;
    view.value = next.id;
    event.preventDefault();
    event.stopPropagation();
    requestAnimationFrame(() => document.getElementById(`tab-${next.id}`)?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={press}>
      {all.map((one) => {
        const isOpen = one === open;
        const missing = one.missing?.(props) !== undefined;
        return (
          <button
            type="button"
            role="tab"
            key={one.id}
            id={`tab-${one.id}`}
            aria-selected={isOpen}
            aria-controls={isOpen ? "panel" : undefined}
            tabIndex={isOpen ? 0 : -1}
            class={missing ? "nothing" : undefined}
            title={missing ? "No data for this view; open it to see why" : undefined}
            onClick={() => (view.value = one.id)}
          >
            {one.title}
          </button>
        );
      })}
    </div>
  );
}

/** The best names for some letters. */
function Search({ document }: { document: Document }) {
  const [text, setText] = useState("");
  const known = useMemo(() => [...names(document).keys()], [document]);
  const found = useMemo(
    () =>
      text.length < 2
        ? []
        : known
            .map((name) => ({ name, score: fit(name, text) }))
            .filter((one) => one.score > 0)
            .sort((a, b) => b.score - a.score || a.name.length - b.name.length)
            .slice(0, 200),
    [known, text],
  );
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        // All that have the letters as they stand; else the one that is nearest.
        const whole = found.filter((one) => one.name.toLowerCase().includes(text.toLowerCase()));
        select((whole.length ? whole : found.slice(0, 1)).map((one) => one.name));
      }}
    >
      <input
        id="search"
        class="search"
        type="search"
        placeholder="Search names ( / )"
        aria-label="Search names; Enter selects all matches"
        list="search-names"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <datalist id="search-names">
        {found.slice(0, 12).map((one) => (
          <option key={one.name} value={one.name} />
        ))}
      </datalist>
    </form>
  );
}

const MOST_CHIPS = 5;

function Selection() {
  const chosen = [...selected.value];
  const time = range.value;
  if (chosen.length === 0 && !time) return null;
  return (
    <div class="selection-row" role="group" aria-label="Selected names">
      <span>Selected</span>
      <ul>
        {time ? (
          <li class="chip" title={`${time[0]} to ${time[1]} ns`}>
            {duration(time[0])} – {duration(time[1])}
            <button type="button" class="icon" aria-label="Show the whole time" onClick={() => (range.value = null)}>
              ×
            </button>
          </li>
        ) : null}
        {chosen.slice(0, MOST_CHIPS).map((name) => (
          <li class="chip" key={name} title={name}>
            {shorten(name, 40)}
            <button type="button" class="icon" aria-label={`Take ${name} out of the selection`} onClick={() => toggle(name)}>
              ×
            </button>
          </li>
        ))}
      </ul>
      {chosen.length > MOST_CHIPS ? <span>and {chosen.length - MOST_CHIPS} more</span> : null}
      <button
        type="button"
        class="link"
        onClick={() => {
          select([]);
          range.value = null;
        }}
      >
        Clear
      </button>
    </div>
  );
}
