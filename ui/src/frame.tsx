// The top of the page: what was read, what is looked at, and the way to the views.

import { useEffect, useRef, useState } from "preact/hooks";
import { ranks } from "./commands";
import { FilterRow } from "./filter";
import { bytes, counted, ranges } from "./format";
import { Explained, type Explanation } from "./kit/explain";
import { openHelp } from "./kit/help";
import { openPalette } from "./kit/palette";
import { type Choice, choice, choose } from "./kit/theme";
import { askRuns, openRun, runs } from "./runs";
import { Search } from "./search";
import type { Document } from "./source/document";
import { run } from "./source/http";
import { START } from "./source/start";
import { view } from "./state";
import { FIRST, type Props, tabs, type View } from "./views";

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

export function Top(props: Props & { open: View; note?: string | undefined }) {
  const { document, open } = props;
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
          {document.schema === START.schema ? null : (
            <>
              <span class="unseen">: </span> {titleOf(document)}
            </>
          )}
        </h1>
        <span class="facts">{document.inputs.length ? <Explained about={() => aboutInputs(document)}>{facts(document)}</Explained> : null}</span>
        <div class="frame-tools">
          {told > 0 ? (
            <button type="button" class="badge" onClick={() => (view.value = "overview")} title={document.warnings.map((warning) => warning.message).join("\n")}>
              ! {counted(told, "warning")}
            </button>
          ) : null}
          {props.source.live ? <RunPicker {...props} /> : null}
          <Search document={document} slash={!["timeline", "flame"].includes(open.id)} />
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
      {open.filter && document.schema !== START.schema ? <FilterRow document={document} note={props.note} /> : null}
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
  const row = useRef<HTMLDivElement>(null);
  // Which ends of the row are out of sight.
  const [more, setMore] = useState<readonly [boolean, boolean]>([false, false]);
  const look = () => {
    const box = row.current;
    if (box) setMore([box.scrollLeft > 2, box.scrollLeft + box.clientWidth < box.scrollWidth - 2]);
  };
  // On a narrow screen not all tabs are to be seen, but the one that is open must be.
  useEffect(() => document.getElementById(`tab-${open.id}`)?.scrollIntoView({ block: "nearest", inline: "nearest" }), [open]);
  useEffect(() => {
    look();
    const watch = new ResizeObserver(look);
    if (row.current) watch.observe(row.current);
    return () => watch.disconnect();
  }, [all.length]);
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
  // Keys have the arrows; these are for the pointer.
  const arrow = (side: 0 | 1) =>
    more[side] ? (
      <button type="button" class="tabs-more" tabIndex={-1} aria-hidden="true" title="More views" onClick={() => row.current?.scrollBy({ left: (side ? 1 : -1) * row.current.clientWidth * 0.7 })}>
        {side ? "›" : "‹"}
      </button>
    ) : null;
  return (
    <div class="tabs-row">
      {arrow(0)}
      <div class="tabs" role="tablist" aria-label="Views" ref={row} onKeyDown={press} onScroll={look}>
        {all.map((one, at) => {
          const isOpen = one === open;
          const missing = one.missing?.(props) !== undefined;
          const isFirst = at > 0 && FIRST.has(one);
          return (
            <button
              type="button"
              role="tab"
              key={one.id}
              id={`tab-${one.id}`}
              aria-selected={isOpen}
              aria-controls={isOpen ? "panel" : undefined}
              tabIndex={isOpen ? 0 : -1}
              class={[missing ? "nothing" : "", isFirst ? "first-of-group" : ""].filter(Boolean).join(" ") || undefined}
              title={missing ? "No data for this view; open it to see why" : undefined}
              onClick={() => (view.value = one.id)}
            >
              {one.title}
            </button>
          );
        })}
      </div>
      {arrow(1)}
    </div>
  );
}
