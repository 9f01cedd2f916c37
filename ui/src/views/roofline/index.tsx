// The roofline: how far every kernel is from what the device can do, and what that costs.

import { useMemo, useRef, useState } from "preact/hooks";
import { counted, percent, thousands } from "../../format";
import { command, type Exports } from "../../kit/export";
import { NumberButton } from "../../kit/explain";
import { all, chosenInput, Inputs, only } from "../../kit/inputs";
import { type Key, useKeys } from "../../kit/keys";
import { lacks, Panel, Prose } from "../../kit/panel";
import { hideTip, showTip, TipLines } from "../../kit/tooltip";
import { headline, section as sectionOf } from "../../source/document";
import { made, select, selected, settings, toggle } from "../../state";
import type { Props, View } from "..";
import { shownOf, useHere, useRelated } from "../../related";
import { adjusted, isAdjusted, summary } from "./adjust";
import { AdjustPanel } from "./adjust-panel";
import { BasePicker, comparedLines, useBase } from "./base-picker";
import { matched, trails } from "./baseline";
import { Beside } from "./side-by-side";
import { Chart } from "./chart";
import { LIMITS } from "./classify";
import { adjustment, choices, type Choices, choose as chooseSetting, type Grouping, GROUPING_WORDS, GROUPINGS, keep, type Palette, PALETTES, shownPoints } from "./choices";
import { read } from "./data";
import { Detail } from "./detail";
import { DevicePicker, useOtherDevice } from "./device";
import { glance } from "./facts";
import { Filters, Roofs } from "./filters";
import { Kernels } from "./kernels";
import { Legend } from "./legend";
import { Script } from "./script";
import { totalled } from "./totals";
import { levelName, specOf } from "./spec";
import { stepsOf, useSteps } from "./steps";
import { behind, Tables } from "./tables";
import "./roofline.css";

const SIDES: readonly [id: string, title: string][] = [
  ["kernels", "Kernels"],
  ["filters", "Filters"],
  ["roofs", "Roofs"],
  ["adjust", "Adjust"],
  ["script", "Script"],
];

function keys(): Key[] {
  const group = "Roofline";
  const listed = { group, listed: true, run: () => false as const };
  return [
    { keys: ["+", "-"], does: "Zoom in, out (chart focused)", ...listed },
    { keys: ["u"], does: "Undo the last zoom", ...listed },
    { keys: ["0"], does: "Show everything", ...listed },
    { keys: ["b"], does: "Drag a box or move", ...listed },
    { keys: ["ArrowUp", "ArrowDown"], does: "Next or previous point", ...listed },
  ];
}

/** What is on the screen as a command. */
function commandLine(props: Props, chosen: Choices, change: ReturnType<typeof adjustment>): string {
  const options: string[] = [];
  if (chosen.device) options.push(`--device ${chosen.device}`);
  if (change.rates.size) options.push("--config roofline_config.json");
  const { bound, memory, compute, balanced } = change.limits;
  if (bound !== undefined) options.push(`--bound-limit ${bound}`);
  if (memory !== undefined) options.push(`--memory-threshold ${memory}`);
  if (compute !== undefined) options.push(`--compute-threshold ${compute}`);
  if (balanced !== undefined) options.push(`--balanced ${balanced}`);
  if (chosen.colour !== "status") options.push(`--color-by ${chosen.colour}`);
  if (chosen.palette !== "safe") options.push(`--palette ${chosen.palette}`);
  return command(props.document, "roofline", options.join(" "));
}

/** One input, or all of them side by side. */
function Rooflines(props: Props) {
  const { document } = props;
  const isOn = settings.value["roofline.beside"] === "yes" && all(document, "roofline").length > 1;
  return (
    <>
      <Inputs document={document} id="roofline" beside={{ isOn, turn: (on) => keep("beside", on ? "yes" : null) }} />
      {isOn ? <Beside document={document} /> : <Roofline {...props} />}
    </>
  );
}

function Roofline(props: Props) {
  const { source } = props;
  const input = chosenInput();
  const own = useMemo(() => only(props.document, "roofline", input), [props.document, input]);
  useKeys(keys);
  const device = settings.value["roofline.device"] ?? "";
  const { document, state } = useOtherDevice(source, own, device);
  const section = sectionOf(document, "roofline");
  const original = useMemo(() => read(document), [document]);
  const change = useMemo(adjustment, [settings.value]);
  const single = useMemo(() => adjusted(original, change), [original, change]);
  const isTotal = settings.value["roofline.totals"] === "yes";
  const data = useMemo(() => (isTotal ? totalled(single, { ...LIMITS, ...change.limits }) : single), [single, isTotal]);
  const chosen = useMemo(() => choices(data), [data, settings.value, made.value]);
  const others = useRelated(source);
  const names = useMemo(() => {
    const points = new Set(data.points.map((point) => point.name));
    return shownOf(selected.value, others, (name) => points.has(name));
  }, [data, selected.value, others]);
  useHere("points of the roofline", names);
  const shown = useMemo(() => shownPoints(data.points, chosen, names), [data, chosen, chosen.only ? names : null]);
  const base = useBase(source, props.document, input, chosen.base);
  const before = useMemo(() => base.data && matched(data.points, (isTotal ? totalled(base.data, LIMITS) : base.data).points), [data, base.data]);
  const whole = props.whole ?? props.document;
  const hasSteps = useMemo(() => source.live && stepsOf(whole).length > 1, [source, whole]);
  const isStepped = hasSteps && settings.value["roofline.steps"] === "yes";
  const steps = useSteps(source, whole, data, isStepped, chosen);
  const spec = useMemo(() => specOf(data, chosen, new Set(shown), names, before ? trails(data, before, chosen.level) : undefined, steps ?? undefined), [data, chosen, shown, names, before, steps]);
  const [picked, setPicked] = useState(-1);
  const [lit, setLit] = useState(-1);
  const drawing = useRef<() => SVGSVGElement | null>(() => null);
  // A point that was picked is one of several of its name; without one, the first of a single selected name.
  const current = picked >= 0 && names.has(data.points[picked]?.name ?? "") ? picked : names.size === 1 ? data.points.findIndex((point) => names.has(point.name)) : -1;
  const outlined = useMemo(() => {
    const found = new Set<number>();
    if (current >= 0) found.add(current);
    if (names.size) for (const point of data.points) if (names.has(point.name)) found.add(point.index);
    if (lit >= 0) found.add(lit);
    return found;
  }, [current, names, data, lit]);

  const choose = (index: number, more: boolean): void => {
    const point = data.points[index];
    if (!point) {
      if (!more) select([]);
      setPicked(-1);
    } else if (more) toggle(point.name);
    else if (index === current && names.size === 1) {
      select([]);
      setPicked(-1);
    } else {
      setPicked(index);
      if (!(names.size === 1 && names.has(point.name))) select([point.name]);
    }
  };
  const hover = (index: number, at: { clientX: number; clientY: number } | null): void => {
    const point = data.points[index];
    if (!point || !at) {
      hideTip();
      return;
    }
    showTip(
      at,
      <>
        <TipLines title={point.name} lines={[...glance(point, data), ...comparedLines(point, before?.[index] ?? null, base.title)]} />
        {point.flag ? <p class="warning-text">Above its roof: {point.flag}</p> : null}
      </>,
    );
  };

  const time = shown.reduce((sum, index) => sum + Math.max(0, data.points[index]?.time ?? 0), 0);
  const said = `${thousands(shown.length)} of ${counted(data.points.length, "kernel")}${data.time ? `, ${percent((100 * time) / data.time)} of time` : ""}`;
  const exports: Exports = {
    name: "roofline",
    svg: () => drawing.current(),
    caption: () => ({
      title: `Roofline, ${device || String(headline(document, "roofline", "device")?.value ?? "device not named")}`,
      lines: [said],
      legend: [...window.document.querySelectorAll<HTMLElement>(".roofline .legend .swatch")].map((one) => ({ text: one.parentElement?.textContent?.trim() ?? "", colour: getComputedStyle(one).getPropertyValue("--mark") })),
    }),
    table: section ? () => behind(section, single, data, shown) : undefined,
    command: commandLine(props, chosen, change),
  };
  const point = data.points[current];
  const sides = SIDES.filter(([id]) => id !== "script" || source.live);
  const side = sides.find(([id]) => id === chosen.side)?.[0] ?? "kernels";
  const summed = isAdjusted(change) ? summary(single, Number(headline(document, "roofline", "time_ns")?.value ?? 0)) : null;
  const numbers = (["headroom_ns", "assessed_pct", "above_roof"] as const).flatMap((id) => {
    const number = headline(document, "roofline", id);
    return number ? [summed ? { ...number, value: summed[id] } : number] : [];
  });
  return (
    <div class="roofline">
      <Panel
        title="Roofline"
        exports={exports}
        tools={
          <>
            {names.size > 0 || chosen.only ? (
              <button type="button" class="quiet-button" aria-pressed={chosen.only} onClick={() => keep("only", chosen.only ? null : "yes")}>
                {chosen.only ? "Show others" : "Only selected"}
              </button>
            ) : null}
            <DevicePicker source={source} own={String(headline(own, "roofline", "device")?.value ?? "")} device={device} custom={change.rates.size > 0} state={state} />
          </>
        }
      >
        <div class="bar">
          <input type="search" placeholder="Names" aria-label="Search kernel names" value={chosen.query} onInput={(event) => keep("query", event.currentTarget.value || null)} />
          <label>
            <span class="quiet">Color</span>{" "}
            <select value={chosen.colour} aria-label="Color by" onChange={(event) => chooseSetting("colour", event.currentTarget.value as Grouping, "status")}>
              {GROUPINGS.map((grouping) => (
                <option key={grouping} value={grouping}>
                  {GROUPING_WORDS[grouping].toLowerCase()}
                </option>
              ))}
            </select>
          </label>
          {chosen.colour === "status" ? (
            <label>
              <span class="quiet">Palette</span>{" "}
              <select value={chosen.palette} aria-label="Palette" onChange={(event) => chooseSetting("palette", event.currentTarget.value as Palette, "safe")}>
                {PALETTES.map((palette) => (
                  <option key={palette} value={palette}>
                    {palette}
                  </option>
                ))}
              </select>
            </label>
          ) : null}
          {single.points.length > new Set(single.points.map((point) => point.name)).size ? (
            <label>
              <span class="quiet">Group by</span>{" "}
              <select value={isTotal ? "yes" : ""} aria-label="Group by" onChange={(event) => keep("totals", event.currentTarget.value || null)}>
                <option value="">shape</option>
                <option value="yes">name</option>
              </select>
            </label>
          ) : null}
          {data.levels.length ? (
            <label>
              <span class="quiet">Memory level</span>{" "}
              <select value={chosen.level} aria-label="Memory level" onChange={(event) => keep("level", event.currentTarget.value === "main" ? null : event.currentTarget.value)}>
                {(["main", ...data.levels] as const).map((level) => (
                  <option key={level} value={level}>
                    {levelName(data, level)}
                  </option>
                ))}
              </select>
            </label>
          ) : null}
          <label class="slider">
            <span class="quiet">Top by time</span>
            <input type="range" min="1" max="100" value={chosen.share} aria-label="Top kernels by cumulative time" aria-valuetext={said} onInput={(event) => keep("share", event.currentTarget.value === "100" ? null : event.currentTarget.value)} />
          </label>
          {hasSteps ? (
            <button type="button" class="quiet-button" aria-pressed={isStepped} title="Draws how the chosen points, else the largest, move from step to step" onClick={() => keep("steps", isStepped ? null : "yes")}>
              Step trails
            </button>
          ) : null}
          <BasePicker base={base} before={before} />
          <span role="status" class="said">
            {said}
          </span>
        </div>
        <div class="work">
          <div class="chart-column">
            <Chart id="roofline" spec={spec} chosen={outlined} height={520} drawing={(get) => (drawing.current = get)} choose={choose} hover={hover} />
            <Legend data={data} chosen={chosen} base={before ? base.title : undefined} />
          </div>
          <aside class="side" aria-label="Kernels, filters and roofs">
            <div class="sub-tabs" role="tablist" aria-label="Beside the chart">
              {sides.map(([id, title]) => (
                <button type="button" role="tab" key={id} aria-selected={side === id} onClick={() => keep("side", id === "kernels" ? null : id)}>
                  {title}
                  {id === "adjust" && isAdjusted(change) ? " •" : ""}
                </button>
              ))}
            </div>
            <div class="side-body" role="tabpanel">
              {side === "kernels" ? <Kernels data={data} shown={shown} chosen={current} selected={names} choose={choose} hover={setLit} /> : null}
              {side === "filters" ? <Filters data={data} chosen={chosen} /> : null}
              {side === "roofs" ? <Roofs data={data} chosen={chosen} /> : null}
              {side === "adjust" ? <AdjustPanel source={source} document={original} data={single} adjustment={change} /> : null}
              {side === "script" ? <Script source={source} /> : null}
            </div>
          </aside>
        </div>
        {point ? (
          <Detail point={point} data={data} whole={data.time || null} close={() => choose(-1, false)} />
        ) : (
          <p class="point-none quiet">
            {numbers.map((number) => (
              <span key={number.id}>
                <NumberButton entry={number} section={section} /> {number.id === "headroom_ns" ? "headroom" : number.id === "assessed_pct" ? "of the time has a roof" : "above their roof"}
                {" · "}
              </span>
            ))}
            choose a point or a kernel to see its numbers, usual causes and headroom.
          </p>
        )}
      </Panel>
      {section ? <Tables section={section} points={behind(section, single, data, shown)} /> : null}
    </div>
  );
}

const hasPoints = (document: Props["document"]) => all(document, "roofline").some((one) => one.tables.some((table) => table.id === "points" && table.rows.length > 0));

/** Without a roof: a server holds the run against any device. */
function WithoutRoof(props: Props & { missing: string }) {
  const { source, missing } = props;
  const device = settings.value["roofline.device"] ?? "";
  const { document, state } = useOtherDevice(source, props.document, device);
  if (hasPoints(document)) return <Rooflines {...props} document={document} />;
  const isSettled = device !== "" && state === null;
  return (
    <div class="empty" role="note">
      <p>
        <Prose text={isSettled ? "This device has no roof for what was recorded. Try another one." : missing} />
      </p>
      {source.live ? (
        <p class="pick-device">
          <DevicePicker source={source} own="choose a device" device={device} custom={false} state={state} />
        </p>
      ) : null}
    </div>
  );
}

export const roofline: View = {
  id: "roofline",
  title: "Roofline",
  filter: "time and rank",
  missing({ document }) {
    const section = sectionOf(document, "roofline");
    if (hasPoints(document)) return undefined;
    const why = document.skipped.find((one) => one.id === "roofline");
    const without = section?.tables.find((table) => table.id === "unmodelled");
    const reason = without?.rows[0]?.[without.columns.findIndex((column) => column.id === "reason")];
    if (typeof reason === "string") return `No point has a roof: ${reason}.`;
    if (why) return lacks(why);
    return "No operator or kernel here has a formula or counters. Record shapes with `eaves profile`, or compare a kernel table with a device: `eaves roofline kernels.csv --device h100-sxm`.";
  },
  Component: Rooflines,
  Missing: WithoutRoof,
};
