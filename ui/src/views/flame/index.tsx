// The flame graph: calls inside of calls, as wide as what they cost.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { duration, percent, thousands } from "../../format";
import { useSize } from "../../kit/canvas";
import { command, ExportMenu, quote } from "../../kit/export";
import { type Key, useKeys } from "../../kit/keys";
import { shorten } from "../../kit/names";
import { Empty, Prose } from "../../kit/panel";
import { theme } from "../../kit/theme";
import { hideTip } from "../../kit/tooltip";
import { steer } from "../../kit/viewport";
import { BaseRunPicker, runId, useBaseRun } from "../../other-run";
import { generation } from "../../source/cache";
import { useHere, useRelated } from "../../related";
import { range, rank, select, set, setting } from "../../state";
import type { Props, View } from "..";
import type { Flame } from "./flame";
import { load } from "./load";
import { listen } from "./pointer";
import { describe } from "./words";
import { Functions } from "./functions";
import "./flame.css";

const NOTHING = "This report contains no calls. Open the recording: `eaves open FILE`.";

/** Milliseconds that a time must rest before a server is asked for it. */
const REST = 250;

function FlameView(props: Props) {
  const { source } = props;
  const [state, setState] = useState<{ flame?: Flame | null; problem?: string }>({});
  const base = useBaseRun(source);
  const [of, time] = [rank.value, source.live && !base ? range.value : null];
  const isFirst = state.flame === undefined;
  useEffect(() => {
    if (base === undefined) return undefined;
    let isCurrent = true;
    const ask = () =>
      load(source, of, time, base ? runId(base.id) : undefined).then(
        (flame) => isCurrent && setState({ flame }),
        (problem: unknown) => isCurrent && setState({ flame: null, problem: problem instanceof Error ? problem.message : String(problem) }),
      );
    // A range that is dragged changes many times a second.
    const waiting = setTimeout(ask, isFirst ? 0 : REST);
    return () => {
      isCurrent = false;
      clearTimeout(waiting);
    };
  }, [source, of, time, base?.id, base === undefined, generation.value]);
  if (state.problem)
    return (
      <>
        <div class="flame-tools">
          <BaseRunPicker source={source} />
        </div>
        <Scope {...props} />
        <Empty>The flame graph cannot be shown: {state.problem}</Empty>
      </>
    );
  if (state.flame === undefined) return <Empty>Reading the flame graph ...</Empty>;
  if (state.flame === null) return <Empty><Prose text={NOTHING} /></Empty>;
  if (state.flame.trees.length === 0) return <Empty>{of === null ? <Prose text={NOTHING} /> : `Rank ${of} has no calls in this file.`}</Empty>;
  return <Loaded {...props} flame={state.flame} />;
}

/** What of the recording is drawn, where that is not all of it, or not what was asked for. */
function Scope({ source }: Props) {
  const [of, time, base] = [rank.value, range.value, useBaseRun(source)];
  if (of === null && !time) return null;
  const words: string[] = [];
  if (of !== null && source.live) words.push(`Calls of rank ${of}.`);
  if (of !== null && !source.live) words.push(`Calls of rank ${of}; the inverted order, which combines all ranks, is hidden.`);
  if (time && base) words.push("Comparisons cover the whole time, regardless of the selection.");
  else if (time && source.live) words.push(`Calls within ${duration(time[0])} to ${duration(time[1])}, cut at both ends.`);
  if (time && !source.live) words.push(`A time of ${duration(time[1] - time[0])} is selected. This file holds sums over all of the time, so it does not cut them: \`eaves open\` does.`);
  return (
    <p class="note small" role="note">
      <Prose text={words.join(" ")} />
      {time ? (
        <button type="button" class="link" onClick={() => (range.value = null)}>
          All of the time
        </button>
      ) : null}
    </p>
  );
}

function keys(flame: Flame, focusSearch: () => void): Key[] {
  const group = "Flame graph";
  const run = (event: KeyboardEvent) => (steer(flame.viewport, event.key) ? undefined : false);
  return [
    { keys: ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"], does: "Frame above, below, beside", group, run: (event) => flame.move(...step(event.key)) },
    { keys: ["Enter"], does: "Focus on the frame", group, run: () => (flame.chosen.peek() ? flame.focus(flame.chosen.peek()) : false) },
    { keys: ["Backspace"], does: "Back to the caller", group, run: () => void flame.back() },
    { keys: ["Escape"], does: "Back, then all", group, run: () => (flame.back() ? undefined : false) },
    { keys: ["Home", "0"], does: "Show all", group, run: () => flame.focus(null) },
    { keys: ["w", "s", "a", "d", "u"], does: "Zoom, move, undo", group, run },
    { keys: ["c"], does: "Callers and callees of the frame", group, run: () => sides(flame) },
    { keys: ["/"], does: "Search frames", group, run: focusSearch },
    { keys: ["n"], does: "Next match of the search", group, run: () => flame.nextMatch(1) },
    { keys: ["N"], does: "Match before", group, run: () => flame.nextMatch(-1) },
  ];
}

function sides(flame: Flame): void {
  const place = flame.chosen.peek() ?? flame.hover.peek();
  if (place) flame.showSides(flame.nameOf(place));
}

function step(key: string): [number, number] {
  return key === "ArrowUp" ? [0, -1] : key === "ArrowDown" ? [0, 1] : key === "ArrowLeft" ? [-1, 0] : [1, 0];
}

function Loaded({ source, document, flame }: Props & { flame: Flame }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const mini = useRef<HTMLCanvasElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const scroll = useSize<HTMLDivElement>(() => flame.redraw());
  useEffect(() => {
    flame.canvas = canvas.current;
    flame.mini = mini.current;
    flame.scroll = scroll.current;
    flame.start();
    const stop = canvas.current && mini.current ? listen(flame, canvas.current, mini.current) : undefined;
    return () => {
      stop?.();
      flame.stop();
      hideTip();
    };
  }, [flame]);
  useKeys(() => keys(flame, () => field.current?.focus()), [flame]);
  useRelated(source);
  useHere("frames of this graph", flame.marked.value);
  const isEmpty = flame.rows.value.length === 0;
  const base = useBaseRun(source);
  const before = base?.inputs ?? document.inputs.filter((input) => input.role === "base").map((input) => input.path);
  // The command line compares with one input, be it a folder.
  const against = before.length ? `--diff ${quote(before[0]!)} ` : "";
  const metric = flame.data.metrics[flame.metric.value]?.id ?? "cpu";
  const told = before.length > 1 ? undefined : command(document, "flame", `--metric ${metric} ${against}-o flame.html`);
  return (
    <section class="flame fill" aria-label="Flame graph">
      <Tools source={source} flame={flame} field={field} exports={{ name: "flame", canvas: () => canvas.current, command: told }} />
      <Scope source={source} document={document} />
      <Path flame={flame} />
      <canvas ref={mini} class="flame-mini" role="img" aria-label="All levels; drag to select a part" />
      <div class="flame-body">
        {flame.order.value === "sandwich" ? <Functions flame={flame} /> : null}
        <div ref={scroll} class="flame-scroll" onScroll={() => flame.redraw()}>
          <div class="tall" hidden={isEmpty}>
            <canvas
              ref={canvas}
              tabIndex={0}
              role="application"
              aria-label="Frames: arrow keys move, Enter focuses, Backspace goes back"
              aria-describedby="flame-status"
              onFocus={() => flame.redraw()}
              onBlur={() => flame.redraw()}
            />
          </div>
          {isEmpty ? <Empty>{flame.order.value === "sandwich" ? "Select a function in the list to see its callers and callees." : "No data for this metric."}</Empty> : null}
        </div>
      </div>
      <Status flame={flame} />
    </section>
  );
}

function Choice({ label, options, value, choose }: { label: string; options: readonly { id: string; title: string; disabled?: boolean }[]; value: string; choose(id: string): void }) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map((option) => (
        <button type="button" key={option.id} class="button" aria-pressed={option.id === value} disabled={option.disabled} onClick={() => choose(option.id)}>
          {option.title}
        </button>
      ))}
    </div>
  );
}

function Tools({ source, flame, field, exports }: Pick<Props, "source"> & { flame: Flame; field: preact.RefObject<HTMLInputElement | null>; exports: Parameters<typeof ExportMenu>[0]["exports"] }) {
  const { data } = flame;
  const orders = [...data.views.map(({ id, title }) => ({ id, title })), { id: "sandwich", title: "Sandwich" }];
  const found = flame.found.value;
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") flame.nextMatch(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      flame.query.value = "";
      field.current?.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const toSides = (id: string) => {
    if (id === "sandwich" && flame.chosen.peek()) select([flame.nameOf(flame.chosen.peek()!)]);
    set("flame.order", id === data.views[0]?.id ? null : id);
  };
  return (
    <div class="flame-tools" role="toolbar" aria-label="Flame graph">
      <Choice label="Order" options={orders} value={flame.order.value} choose={toSides} />
      <Choice
        label="Metric"
        options={data.metrics.map(({ id, title }, at) => ({ id, title, disabled: !flame.has(at) }))}
        value={data.metrics[flame.metric.value]?.id ?? ""}
        choose={(id) => set("flame.metric", id === data.metrics[data.metric]?.id ? null : id)}
      />
      {flame.isDifference ? (
        <Choice
          label="Width"
          options={[{ id: "both", title: "Both" }, { id: "new", title: "Now" }, { id: "base", title: "Before" }]}
          value={setting("flame.width", "both")}
          choose={(id) => set("flame.width", id === "both" ? null : id)}
        />
      ) : null}
      <input
        ref={field}
        type="search"
        placeholder="Search ( / ), regular expression"
        aria-label="Search frames, as a regular expression"
        aria-invalid={found === "no expression"}
        value={flame.query.value}
        onInput={(event) => (flame.query.value = event.currentTarget.value)}
        onKeyDown={press}
      />
      {found ? (
        <span class="found" role="status">
          {found === "no expression" ? "no regular expression" : `${percent(found.share)} in ${thousands(found.frames)} frame${found.frames === 1 ? "" : "s"}`}
        </span>
      ) : null}
      <span class="grow" />
      <BaseRunPicker source={source} />
      <ExportMenu exports={exports} />
    </div>
  );
}

/** The frames around what is shown; each is a way back. */
function Path({ flame }: { flame: Flame }) {
  const focused = flame.focused.value;
  const sandwiched = flame.sides.value;
  const layout = focused?.layout ?? flame.rows.value.at(-1)?.layout;
  if (!layout) return null;
  const frames: number[] = [];
  for (let frame = focused?.frame ?? 0; frame >= 0; frame = layout.tree.parent[frame]!) frames.unshift(frame);
  const shown = frames.length > 7 ? [...frames.slice(0, 2), -1, ...frames.slice(-4)] : frames;
  return (
    <nav class="flame-path" aria-label="Enclosing frames">
      {sandwiched ? <span>{thousands(sandwiched.places)} {sandwiched.places === 1 ? "place of" : "places of"}&nbsp;</span> : null}
      {shown.map((frame, at) => (
        <span key={frame}>
          {at ? <i aria-hidden="true">›</i> : null}
          {frame < 0 ? (
            "…"
          ) : (
            <button type="button" class="link" aria-current={frame === (focused?.frame ?? 0) ? "true" : undefined} title={flame.nameOf({ layout, frame })} onClick={() => flame.focus(frame ? { layout, frame } : null)}>
              {shorten(flame.nameOf({ layout, frame }), 44)}
            </button>
          )}
        </span>
      ))}
      {focused ? (
        <button type="button" class="quiet-button" onClick={() => flame.showSides(flame.nameOf(focused))}>
          Callers and callees
        </button>
      ) : null}
    </nav>
  );
}

function Status({ flame }: { flame: Flame }) {
  const { data } = flame;
  const place = flame.hover.value ?? flame.chosen.value;
  const dark = theme.value === "dark";
  const used = useMemo(() => {
    const kinds = new Set<number>();
    for (const tree of flame.trees) for (const kind of tree.kind) kinds.add(kind);
    return kinds;
  }, [flame]);
  const notes = data.views.find((view) => view.id === flame.order.value)?.notes ?? [];
  const changes: [string, string][] = [["less than before", data.changes[1]?.fill ?? ""], ["about the same", data.changes[4]?.fill ?? ""], ["more than before", data.changes[7]?.fill ?? ""]];
  const colours: [string, string][] = flame.isDifference ? changes : data.kinds.flatMap((kind, at) => (used.has(at) ? [[kind.label, dark ? kind.dark : kind.light] as [string, string]] : []));
  return (
    <footer class="flame-status">
      <p id="flame-status" role="status">{place ? describe(flame, place) : "Click focuses, C shows callers and callees, wheel scrolls, Ctrl and wheel zooms"}</p>
      <ul aria-label="Colors">
        {colours.map(([label, colour]) => (
          <li key={label}>
            <i style={{ background: colour }} />
            {label}
          </li>
        ))}
      </ul>
      <p class="quiet">{[...(flame.isDifference ? data.inputs : []), ...notes].join("; ")}</p>
    </footer>
  );
}

export const flame: View = { id: "flame", title: "Flame", filter: "itself", missing: ({ source }) => (source.has?.("flame") === false ? NOTHING : undefined), Component: FlameView };
