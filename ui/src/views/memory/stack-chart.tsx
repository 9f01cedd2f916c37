// The largest allocations over time, one on top of the other. It shows the time that all views share.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { bytes, duration, percent, thousands } from "../../format";
import { surface } from "../../kit/canvas";
import { command } from "../../kit/export";
import { Empty, Panel } from "../../kit/panel";
import { useWidth } from "../../kit/size";
import { colour, theme } from "../../kit/theme";
import { hideTip, showTip, TipLines } from "../../kit/tooltip";
import type { Document, Section } from "../../source/document";
import { range, select, selected, set, setting } from "../../state";
import { timeLabels } from "../timeline/axis";
import { byteLabel, byteTicks } from "./chart";
import { type Device, lastUntil, tableOf } from "./data";
import { type Band, columns, grouped, GROUPINGS, groupings, hit, isAt, type Laid, matches, type Stacked, stacked } from "./stacked";

const HEIGHT = 320;
/** Room for labels of the axes. */
const LEFT = 76;
const RIGHT = 24;
const BOTTOM = 24;
const TOP = 8;
/** Frames of a stack in a tooltip. */
const FRAMES = 4;

/** The time that is seen, and what stands at the top. */
interface Scale {
  from: number;
  to: number;
  most: number;
  width: number;
}

const toX = ({ from, to, width }: Scale, time: number) => LEFT + (Math.min(Math.max(time, from), to) - from) * ((width - LEFT - RIGHT) / (to - from));
const toTime = ({ from, to, width }: Scale, x: number) => from + Math.min(1, Math.max(0, (x - LEFT) / (width - LEFT - RIGHT))) * (to - from);

interface Picture {
  made: Stacked;
  laid: readonly Laid[];
  isLit(band: Laid): boolean;
  chosen: Laid | undefined;
  scale: Scale;
  /** Where a drag began and is. */
  drag: readonly [number, number] | null;
}

function paint(canvas: HTMLCanvasElement, { made, laid, isLit, chosen, scale, drag }: Picture): void {
  const drawn = surface(canvas, scale.width, HEIGHT);
  if (!drawn) return;
  const { context, width, ratio } = drawn;
  const { time, rest } = made;
  const right = width - RIGHT;
  const y = (value: number) => Math.round((HEIGHT - BOTTOM - (value / scale.most) * (HEIGHT - BOTTOM - TOP)) * ratio) / ratio;
  const fill = (name: string, alpha = 1) => {
    context.fillStyle = colour(name);
    context.globalAlpha = alpha;
  };
  const seen = columns(made, (at) => toX(scale, at), Math.max(0, lastUntil(time, scale.from)), lastUntil(time, scale.to));
  const states = seen.map(({ state }) => state);
  /** Pieces of one height. */
  const pieces = (from: number, to: number, low: (state: number) => number, high: (state: number) => number, around = 0) => {
    const end = lastUntil(states, to - 1) + 1;
    for (let at = lastUntil(states, from - 1) + 1; at < end; ) {
      const { state, x } = seen[at]!;
      const [lower, upper] = [low(state), high(state)];
      do at++;
      while (at < end && low(states[at]!) === lower && high(states[at]!) === upper);
      const [top, bottom] = [y(upper), y(lower)];
      // A line between bands, where they are high enough to have one.
      const gap = !around && bottom - top > 2.5 ? 0.5 : 0;
      context.fillRect(x - around, top - around + gap, Math.max(1, (seen[at]?.x ?? right) - x) + 2 * around, bottom - top + 2 * around - gap);
    }
  };
  const band = ({ from, to, base, bytes: size }: Laid, around?: number) => pieces(from, to, (state) => base[state - from]!, (state) => base[state - from]! + size, around);

  context.clearRect(0, 0, width, HEIGHT);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const value of byteTicks(scale.most, 6)) {
    fill("line");
    context.fillRect(LEFT, y(value), right - LEFT, 1);
    fill("quiet");
    context.fillText(byteLabel(value), LEFT - 8, y(value));
  }
  context.textAlign = "center";
  for (const [at, label] of timeLabels(scale.from, scale.to, width / 120)) context.fillText(label, toX(scale, at), HEIGHT - BOTTOM / 2);
  fill("hatch", 0.6);
  pieces(0, time.length, () => 0, (state) => rest[state]!);
  laid.forEach((one, at) => {
    // Bands too thin for a line between them are still told apart.
    fill(one.colour, isLit(one) ? (at % 2 ? 0.8 : 1) : 0.2);
    band(one);
  });
  if (chosen) {
    fill("text");
    band(chosen, 2);
    fill("selected-line");
    band(chosen);
  }
  if (drag) {
    fill("on", 0.2);
    context.fillRect(drag[0], TOP, drag[1] - drag[0], HEIGHT - BOTTOM - TOP);
  }
  context.globalAlpha = 1;
}

/** What is known of a band, in words. */
function facts({ row, stack }: Band, frames: number): [string, string][] {
  const [start, end] = [row.start_ns, row.end_ns] as (number | null)[];
  const at = (time: number | null | undefined, otherwise: string) => (time == null ? otherwise : duration(time));
  const lines: [string, string][] = [["In use", `${at(start, "before the recording")} to ${at(end, "the end")}`]];
  if (start != null && end != null) lines.push(["For", duration(end - start)]);
  for (const [id, title] of Object.entries(GROUPINGS)) if (row[id]) lines.push([title, row[id] as string]);
  const all = stack.split(" < ");
  if (stack) lines.push(["Stack", all.slice(0, frames).join(" < ") + (all[frames] ? " …" : "")]);
  return lines;
}

interface Props {
  document: Document;
  found: Section;
  device: Device;
  /** Where the recording begins in the time that all views share. */
  start: number;
}

export function StackedPanel(props: Props) {
  const { document, found, device } = props;
  const made = useMemo(() => stacked(document, device), [document, device]);
  if (made) return <StackedChart {...props} made={made} />;
  if (!found.tables.some((table) => table.id === "allocations")) return null;
  return <Empty>Allocations over time are told of the devices with the highest peaks; `--rank` chooses others.</Empty>;
}

function StackedChart({ document, found, device, start, made }: Props & { made: Stacked }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<readonly [number, number] | null>(null);
  const choices = groupings(made);
  const wanted = setting("memory.by");
  const by = choices.includes(wanted) ? wanted : (choices[0] ?? "");
  const groups = useMemo(() => grouped(made, by), [made, by]);
  const laid = groups.flatMap((group) => group.bands);
  const [text, only, names] = [setting("memory.find"), setting("memory.only"), selected.value];
  const block = setting("memory.block");
  const chosen = laid.find((band) => String(band.row.index) === block);
  // A selection that is nowhere here leaves the picture as it is.
  const isSelected = laid.some(({ row }) => names.has(row.operator as string));
  const isLit = (band: Laid) => (!only || band.colour === only) && (!text || matches(band, text)) && (!isSelected || names.has(band.row.operator as string));
  const lit = laid.filter(isLit);
  const atPeak = (some: readonly Band[]) => bytes(some.reduce((sum, band) => sum + (isAt(band, made.peak) ? band.bytes : 0), 0));

  const { time, rest, all } = made;
  const looked = range.value;
  const [first, last] = [time[0]!, Math.max(time.at(-1)!, time[0]! + 1)];
  const [from, to] = looked && looked[0] - start < last && looked[1] - start > first ? [Math.max(first, looked[0] - start), Math.min(last, looked[1] - start)] : [first, last];
  const most = Math.max(1, ...all.slice(Math.max(0, lastUntil(time, from)), lastUntil(time, to) + 1));
  const scale: Scale = { from, to, most: most * 1.04, width };
  void theme.value;
  useLayoutEffect(() => {
    if (canvas.current) paint(canvas.current, { made, laid, isLit, chosen, scale, drag });
  });

  const choose = (band: Laid | undefined) => set("memory.block", band ? String(band.row.index) : null);
  const selectIt = (band: Laid | undefined) => select(band?.row.operator ? [band.row.operator as string] : []);
  const under = ({ offsetX: x, offsetY: y }: MouseEvent) => {
    const state = lastUntil(time, toTime(scale, x));
    // Nothing stands left of the axis.
    const height = x < LEFT ? -1 : ((HEIGHT - BOTTOM - y) / (HEIGHT - BOTTOM - TOP)) * scale.most;
    return { state, height, band: hit(laid, state, height) };
  };
  const hover = (event: PointerEvent) => {
    if (drag) {
      setDrag([drag[0], event.offsetX]);
      return hideTip();
    }
    const { state, height, band } = under(event);
    if (band) showTip(event, <TipLines title={bytes(band.bytes)} lines={facts(band, FRAMES)} />);
    else if (height >= 0 && height < rest[state]!) showTip(event, <TipLines title={bytes(rest[state]!)} lines={[["The rest at", duration(time[state]!)]]} />);
    else hideTip();
  };
  const release = (event: PointerEvent) => {
    if (!drag) return;
    setDrag(null);
    const x = event.offsetX;
    if (Math.abs(drag[0] - x) > 4) {
      const [low, high] = [drag[0], x].map((end) => Math.round(toTime(scale, end) + start)).sort((a, b) => a - b) as [number, number];
      if (low < high) range.value = [low, high];
      return;
    }
    const { band } = under(event);
    const next = band === chosen ? undefined : band;
    choose(next);
    selectIt(next);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (step) {
      // Sideways in order of time, up and down among those that are in use together.
      const at = chosen && !isAt(chosen, made.peak) ? chosen.from : made.peak;
      const list = event.key.endsWith("t") ? laid.toSorted((a, b) => a.from - b.from) : laid.filter((band) => isAt(band, at));
      const now = chosen ? list.indexOf(chosen) : step > 0 ? -1 : 0;
      choose(list[(now + step + list.length) % list.length]);
    } else if (event.key === "Enter" && chosen) selectIt(chosen);
    else if (event.key === "Escape" && chosen) choose(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const told = made.shown;
  const share = (id: string, of: string) => (told[id] == null ? "" : `, ${percent(told[id] as number)} of ${of}`);
  const note = `${told.shown} of ${thousands(told.allocations as number)} allocations${share("peak_pct", "the peak")}${share("byte_time_pct", "bytes times time")}; the rest is gray.`;
  const tools = (
    <>
      <input type="search" placeholder="Names" aria-label="Search allocations" value={text} onInput={(event) => set("memory.find", event.currentTarget.value || null)} />
      <label class="quiet">
        By{" "}
        <select value={by} onChange={(event) => (set("memory.only", null), set("memory.by", event.currentTarget.value))}>
          {choices.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
    </>
  );
  return (
    <Panel title="Allocations over time" note={note} tools={tools} exports={{ name: "allocations", canvas: () => canvas.current, table: () => tableOf(found, "allocations", device)!, command: command(document, "memory") }}>
      <div class="memory-stack" ref={box}>
        <canvas
          ref={canvas}
          style={{ height: HEIGHT }}
          tabIndex={0}
          role="application"
          aria-label="Allocations over time; select with the arrow keys"
          onPointerDown={(event) => {
            if (event.button) return;
            setDrag([event.offsetX, event.offsetX]);
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={hover}
          onPointerUp={release}
          onPointerCancel={() => setDrag(null)}
          onPointerLeave={hideTip}
          onDblClick={() => (range.value = null)}
          onKeyDown={press}
        />
      </div>
      <div class="memory-legend memory-groups" role="group" aria-label={`By ${by}`}>
        {groups.map((group) => (
          <button type="button" key={group.name} class="quiet-button" aria-pressed={only === group.colour} title={group.name} style={{ "--swatch": `var(--${group.colour})` }} onClick={() => set("memory.only", only === group.colour ? null : group.colour)}>
            <span>{group.name}</span> {atPeak(group.bands)}
          </button>
        ))}
      </div>
      <p class="note" role="status">
        {chosen ? `${[bytes(chosen.bytes), ...facts(chosen, 99).map(([name, value]) => `${name.toLowerCase()} ${value}`)].join(" · ")}. ` : ""}
        {lit.length < laid.length ? `${lit.length} of ${laid.length} shown allocations, ${atPeak(lit)} at the peak.` : chosen ? "" : "Sums are at the peak."}
      </p>
    </Panel>
  );
}
