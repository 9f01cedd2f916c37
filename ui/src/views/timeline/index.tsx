// The timeline: every slice of every rank, from the whole recording down to a nanosecond.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { cell, duration, percent, thousands } from "../../format";
import { useSize } from "../../kit/canvas";
import { command, ExportMenu } from "../../kit/export";
import { type Key, useKeys } from "../../kit/keys";
import { Empty, Prose } from "../../kit/panel";
import { theme } from "../../kit/theme";
import { hideTip, showTip, TipLines } from "../../kit/tooltip";
import { steer } from "../../kit/viewport";
import type { Props, View } from "..";
import { BaseRunPicker, runId, useBaseRun } from "../../other-run";
import { generation } from "../../source/cache";
import { useHere } from "../../related";
import { selected, set, setting } from "../../state";
import { commonSteps, stepTimes } from "./align";
import type { Data } from "./data";
import { Details, facts } from "./details";
import { factsOf } from "./layout";
import { load } from "./load";
import { amount, pointAt } from "./counters";
import { onMap, onPlot } from "./pointer";
import { lineAtY, timeAt } from "./scene";
import { type Base, Timeline } from "./timeline";
import { Tracks } from "./tracks";
import "./timeline.css";

const NOTHING = "This report contains no slices. Open the recording: `eaves open FILE`.";

function TimelineView(props: Props) {
  const { source } = props;
  const [state, setState] = useState<{ data?: Data | null; base?: Base | null; problem?: string }>({});
  const other = useBaseRun(source);
  // A file that compares two runs holds both.
  const run = other ? runId(other.id) : source.has?.("base-timeline") ? "base" : undefined;
  useEffect(() => {
    if (other === undefined) return undefined;
    let isCurrent = true;
    Promise.all([load(source), run === undefined ? null : load(source, run)]).then(
      ([data, found]) => isCurrent && setState({ data, base: found && run !== undefined ? { data: found, run } : null }),
      (problem: unknown) => isCurrent && setState({ problem: problem instanceof Error ? problem.message : String(problem) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [source, run, other === undefined, generation.value]);
  if (state.problem)
    return (
      <>
        <div class="timeline-tools">
          <BaseRunPicker source={source} />
        </div>
        <Empty>The timeline cannot be shown: {state.problem}</Empty>
      </>
    );
  if (state.data === undefined) return <Empty>Reading the timeline ...</Empty>;
  if (state.data === null || state.data.total === 0) return <Empty><Prose text={NOTHING} /></Empty>;
  return <Loaded {...props} data={state.data} base={state.base ?? null} />;
}

function keys(timeline: Timeline, focusSearch: () => void): Key[] {
  const group = "Timeline";
  const run = (event: KeyboardEvent) => (steer(timeline.viewport, event.key, timeline.pointerX) ? undefined : false);
  const scrollBy = (amount: number) => {
    if (timeline.scroll) timeline.scroll.scrollTop += amount;
  };
  const escape = () => {
    if (timeline.area.peek()) timeline.keepArea(null);
    else if (timeline.chosen.peek()) timeline.choose(-1);
    else if (timeline.search.query.peek()) timeline.seekNames("");
    else return false;
    return undefined;
  };
  return [
    { keys: ["w", "s", "W", "S"], does: "Zoom in, out at the pointer (wheel)", group, run },
    { keys: ["a", "d", "A", "D", "ArrowLeft", "ArrowRight"], does: "Move (drag, shift and wheel)", group, run },
    { keys: ["ArrowUp"], does: "Scroll up", group, run: () => scrollBy(-60) },
    { keys: ["ArrowDown"], does: "Scroll down", group, run: () => scrollBy(60) },
    { keys: ["f", "F"], does: "Show the selected slice or area, or everything", group, run: () => timeline.focus() },
    { keys: [","], does: "Slice before", group, run: () => timeline.neighbour(-1) },
    { keys: ["."], does: "Slice after", group, run: () => timeline.neighbour(1) },
    { keys: ["u"], does: "Back to the previous window", group, run },
    { keys: ["0"], does: "Show everything", group, run },
    { keys: ["p"], does: "Pin or unpin the track under the pointer", group, run: () => timeline.flipTrack("pinned") },
    { keys: ["h"], does: "Hide the track under the pointer", group, run: () => timeline.flipTrack("hidden") },
    { keys: ["/"], does: "Search slices", group, run: focusSearch },
    { keys: ["n"], does: "Next match of the search", group, run: () => stepSearch(timeline, 1) },
    { keys: ["N"], does: "Match before", group, run: () => stepSearch(timeline, -1) },
    { keys: ["Escape"], does: "Clear the area, slice or search", group, run: escape },
    { keys: ["Shift+drag"], does: "Select an area; on the axis, a time", group, listed: true, run: () => false },
  ];
}

function stepSearch(timeline: Timeline, by: number): void {
  // The picture moves away under the pointer.
  hideTip();
  const found = timeline.search.step(by);
  if (typeof found === "object") timeline.seek(found);
  else if (found >= 0) timeline.choose(found, true);
}

function Loaded({ source, document, data, base }: Props & { data: Data; base: Base | null }) {
  const timeline = useMemo(() => new Timeline(data, source, base), [data, source, base]);
  const plot = useRef<HTMLCanvasElement>(null);
  const map = useRef<HTMLCanvasElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const scroll = useSize<HTMLDivElement>(() => timeline.resized());
  useEffect(() => {
    timeline.plot = plot.current;
    timeline.map = map.current;
    timeline.scroll = scroll.current;
    timeline.start();
    timeline.foldToFit(scroll.current?.clientHeight ?? 0);
    const tells = { hover: (event: PointerEvent) => hover(timeline, event), leave: () => (hideTip(), void timeline.point(null)) };
    const stopPlot = plot.current ? onPlot(timeline, plot.current, tells) : undefined;
    const stopMap = map.current ? onMap(timeline, map.current) : undefined;
    return () => {
      stopPlot?.();
      stopMap?.();
      timeline.stop();
      hideTip();
    };
  }, [timeline]);
  useKeys(() => keys(timeline, () => field.current?.focus()), [timeline]);
  useHere("slices of the timeline", useMemo(() => new Set(timeline.overall.data.head.names.filter((name) => selected.value.has(name))), [timeline, selected.value]));
  return (
    <section class="timeline fill" aria-label="Timeline">
      <Tools source={source} timeline={timeline} field={field} exports={{ name: "timeline", canvas: () => plot.current, command: command(document, "timeline", "-o timeline.html") }} />
      {base ? <Steps timeline={timeline} /> : null}
      <canvas ref={map} class="overview-strip" role="img" aria-label="The whole time: hosts above, devices below; drag to select a window" />
      <div ref={scroll} class="timeline-scroll" onScroll={() => timeline.redraw()}>
        <div class="tall">
          <canvas ref={plot} tabIndex={0} role="application" aria-label="Slices over time; W, A, S, D move, click selects" />
        </div>
      </div>
      <Details timeline={timeline} />
      <Legend timeline={timeline} />
    </section>
  );
}

/** How long the step takes at which two runs are put together. */
function Steps({ timeline }: { timeline: Timeline }) {
  const { ranks } = timeline.overall.data;
  const [own, base] = stepTimes(ranks, setting("timeline.align"));
  const change = own && base && own.time - base.time;
  return (
    <p class="note small" role="note">
      {own && base && change !== undefined
        ? `Both begin at step ${own.number}${base.number === own.number ? "" : `, the base at step ${base.number}`}: it takes ${duration(own.time)}, ${duration(base.time)} in the base, ${cell(change, { id: "delta_ns", unit: "ns" })} (${change > 0 ? "+" : ""}${percent((100 * change) / base.time)})${ranks.length > 2 ? ", averaged over the ranks" : ""}.`
        : "Only one run has steps, or neither: each starts at 0."}
    </p>
  );
}

function hover(timeline: Timeline, event: PointerEvent): void {
  const found = timeline.point({ x: event.offsetX, y: event.offsetY });
  const scene = timeline.drawn;
  if (!scene) return;
  if (!found) {
    const line = lineAtY(scene, event.offsetY);
    const point = line?.kind === "counter" && event.offsetX >= scene.margin ? pointAt(line.counter, timeAt(scene, event.offsetX, line.rank)) : undefined;
    if (point && line?.kind === "counter") {
      showTip(event, <TipLines title={line.counter.name} lines={[["Value", amount(point[1], line.counter.bytes)], ["Since", duration(point[0])]]} />);
    } else if (line?.kind === "row" && event.offsetX < scene.margin && line.label) showTip(event, <TipLines title={line.track.name} lines={[["Of", line.track.group]]} />);
    else hideTip();
    return;
  }
  const { slices } = scene;
  const lines = facts(slices, found.entry);
  const call = slices.data.launch[found.entry]!;
  const operator = slices.operator(call >= 0 ? call : found.entry);
  if (operator >= 0) lines.push(["Operator", slices.nameOf(operator)]);
  showTip(event, <TipLines title={slices.nameOf(found.entry)} lines={lines} />);
}

function Tools({ source, timeline, field, exports }: Pick<Props, "source"> & { timeline: Timeline; field: preact.RefObject<HTMLInputElement | null>; exports: Parameters<typeof ExportMenu>[0]["exports"] }) {
  const { ranks } = timeline.overall.data;
  const steps = commonSteps(ranks);
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") stepSearch(timeline, event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      timeline.seekNames("");
      field.current?.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="timeline-tools" role="toolbar" aria-label="Timeline">
      <input
        ref={field}
        type="search"
        placeholder="Search slices ( / )"
        aria-label="Search slices; Enter shows the next"
        value={timeline.search.query.value}
        onInput={(event) => timeline.seekNames(event.currentTarget.value)}
        onKeyDown={press}
      />
      <FoundWords timeline={timeline} />
      <span class="grow" />
      <BaseRunPicker source={source} />
      <label>
        Arrows
        <select value={setting("timeline.arrows", "all")} onChange={(event) => set("timeline.arrows", event.currentTarget.value === "all" ? null : event.currentTarget.value)}>
          <option value="all">all launches</option>
          <option value="direct">direct only</option>
          <option value="off">none</option>
        </select>
      </label>
      {ranks.length > 1 && steps.length > 0 ? (
        <label>
          Align
          <select value={setting("timeline.align")} onChange={(event) => set("timeline.align", event.currentTarget.value || null)}>
            <option value="">{timeline.isCompared ? "middle step" : "by clock"}</option>
            {steps.map((step) => (
              <option key={step} value={String(step)}>
                step {step}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <button
        type="button"
        class="button"
        aria-pressed={setting("timeline.drag") === "area"}
        title="Drag selects an area instead of moving (or hold Shift)"
        onClick={() => set("timeline.drag", setting("timeline.drag") === "area" ? null : "area")}
      >
        Area
      </button>
      <Tracks timeline={timeline} />
      <button type="button" class="button" title="Show everything (0)" onClick={() => timeline.viewport.fit()}>
        Fit
      </button>
      <ExportMenu exports={exports} />
    </div>
  );
}

function FoundWords({ timeline }: { timeline: Timeline }) {
  const found = timeline.search.found.value;
  if (!found) return null;
  const at = timeline.search.at.value;
  const all = timeline.search.all.value;
  const least = found.atLeast && all === null ? "at least " : "";
  return (
    <span class="found" role="status">
      {least}
      {thousands(all?.count ?? found.count)} found{at >= 0 ? `, ${thousands(at + 1)} shown` : ""}, {least}
      {duration(all?.duration ?? found.sum)} in sum
      <button type="button" class="icon" aria-label="Match before" disabled={!found.entries && !all?.count} onClick={() => stepSearch(timeline, -1)}>
        ‹
      </button>
      <button type="button" class="icon" aria-label="Next match" disabled={!found.entries && !all?.count} onClick={() => stepSearch(timeline, 1)}>
        ›
      </button>
    </span>
  );
}

function Legend({ timeline }: { timeline: Timeline }) {
  const { head } = timeline.overall.data;
  const used = new Set(head.class);
  const { ranks } = timeline.overall.data;
  // Those of several ranks stand beside them.
  const numbers = ranks.length === 1 && ranks[0]!.facts.length ? [factsOf(ranks[0]!)] : [];
  const dark = theme.value === "dark";
  return (
    <footer class="timeline-legend">
      <ul aria-label="Colors">
        {head.classes.map(([label, light, onDark], at) =>
          used.has(at) ? (
            <li key={label}>
              <i style={{ background: dark ? onDark : light }} />
              {label}
            </li>
          ) : null,
        )}
      </ul>
      <p>{[...numbers, ...timeline.shown.value.data.head.notes].join("; ")}</p>
    </footer>
  );
}

export const timeline: View = { id: "timeline", title: "Timeline", filter: "itself", missing: ({ source }) => (source.has?.("timeline") === false ? NOTHING : undefined), Component: TimelineView };
