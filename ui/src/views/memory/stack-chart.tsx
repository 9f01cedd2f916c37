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
import { byteTicks } from "./chart";
import { type Device, lastUntil, tableOf } from "./data";
import { type Band, grouped, GROUPINGS, groupings, type Group, hit, isAt, type Laid, matches, type Stacked, stacked, sums } from "./stacked";

const HEIGHT = 320;
/** Room for labels of the axes. */
const LEFT = 76;
const BOTTOM = 24;
const TOP = 8;
/** Frames of a stack in a tooltip. */
const FRAMES = 4;

interface Scale {
  from: number;
  to: number;
  most: number;
  width: number;
}

const toX = ({ from, to, width }: Scale, time: number) => LEFT + (Math.min(Math.max(time, from), to) - from) * ((width - LEFT) / (to - from));
const toTime = ({ from, to, width }: Scale, x: number) => from + ((Math.max(x, LEFT) - LEFT) / (width - LEFT)) * (to - from);

interface Picture {
  made: Stacked;
  groups: readonly Group[];
  isLit(band: Band, group: Group): boolean;
  chosen: Laid | undefined;
  scale: Scale;
  /** Where a drag began and is. */
  drag: readonly [number, number] | null;
}

function paint(canvas: HTMLCanvasElement, { made, groups, isLit, chosen, scale, drag }: Picture): void {
  const drawn = surface(canvas, scale.width, HEIGHT);
  if (!drawn) return;
  const { context, width, ratio } = drawn;
  const { time, rest } = made;
  const sharp = (pixel: number) => Math.round(pixel * ratio) / ratio;
  const y = (value: number) => sharp(HEIGHT - BOTTOM - (value / scale.most) * (HEIGHT - BOTTOM - TOP));
  const x = (state: number) => sharp(toX(scale, time[Math.min(state, time.length - 1)]!));
  const fill = (name: string, alpha = 1) => {
    context.fillStyle = colour(name);
    context.globalAlpha = alpha;
  };
  // Pieces at one height, at least a part of a pixel wide: more than that cannot be seen.
  const pieces = (from: number, to: number, low: (state: number) => number, high: (state: number) => number, around = 0) => {
    for (let state = from; state < to; ) {
      const [left, lower, upper] = [x(state), low(state), high(state)];
      do state++;
      while (state < to && ((low(state) === lower && high(state) === upper) || x(state) - left < 0.5));
      const [right, top, bottom] = [state === to && to === time.length ? width : x(state), y(upper), y(lower)];
      // A line between bands, where they are high enough to have one.
      const gap = !around && bottom - top > 2.5 ? 0.5 : 0;
      if (right > LEFT && right > left) context.fillRect(left - around, top - around + gap, right - left + 2 * around, bottom - top + 2 * around - gap);
    }
  };
  const band = (one: Laid, around?: number) => pieces(one.from, one.to, (state) => one.base[state - one.from]!, (state) => one.base[state - one.from]! + one.bytes, around);

  context.clearRect(0, 0, width, HEIGHT);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const value of byteTicks(scale.most, 6)) {
    fill("line");
    context.fillRect(LEFT, y(value), width - LEFT, 1);
    fill("quiet");
    context.fillText(value ? bytes(value).replace(".0 ", " ") : "0", LEFT - 8, y(value));
  }
  context.textAlign = "center";
  for (const [at, label] of timeLabels(scale.from, scale.to, width / 120)) {
    context.fillText(label, Math.min(toX(scale, at), width - 24), HEIGHT - BOTTOM / 2);
  }
  for (const group of groups) {
    for (const one of group.bands) {
      fill(group.colour, isLit(one, group) ? 0.9 : 0.18);
      band(one);
    }
  }
  const below = sums(made.bands, time.length);
  fill("hatch", 0.6);
  pieces(0, time.length, (state) => below[state]!, (state) => below[state]! + Math.max(0, rest[state]!));
  if (chosen) {
    fill("text");
    band(chosen, 2);
    fill("selected-line");
    band(chosen);
  }
  if (drag) {
    fill("on", 0.18);
    context.fillRect(drag[0], TOP, drag[1] - drag[0], HEIGHT - BOTTOM - TOP);
  }
  context.globalAlpha = 1;
}

/** What is known of a band, in words. */
function facts({ row, stack }: Band, frames: number): [string, string][] {
  const at = (value: unknown, otherwise: string) => (typeof value === "number" ? duration(value) : otherwise);
  const [start, end] = [row.start_ns, row.end_ns];
  const lines: [string, string][] = [["In use", `${at(start, "before the recording")} to ${at(end, "the end")}`]];
  if (typeof start === "number" && typeof end === "number") lines.push(["For", duration(end - start)]);
  for (const [id, title] of Object.entries(GROUPINGS)) if (row[id] != null) lines.push([title, String(row[id])]);
  const all = stack ? stack.split(" < ") : [];
  if (all.length) lines.push(["Stack", all.slice(0, frames).join(" < ") + (all.length > frames ? " < …" : "")]);
  return lines;
}

export function StackedPanel({ document, found, device, start }: { document: Document; found: Section; device: Device; start: number }) {
  const made = useMemo(() => stacked(document, device), [document, device]);
  if (made) return <StackedChart document={document} found={found} device={device} start={start} made={made} />;
  if (!found.tables.some((table) => table.id === "allocations")) return null;
  return (
    <Panel title="Allocations over time">
      <Empty>Allocations are told one by one of the devices with the highest peaks. `--rank` chooses others.</Empty>
    </Panel>
  );
}

function StackedChart({ document, found, device, start, made }: { document: Document; found: Section; device: Device; start: number; made: Stacked }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<readonly [number, number] | null>(null);
  const choices = groupings(made);
  const wanted = setting("memory.by");
  const by = choices.includes(wanted) ? wanted : (choices[0] ?? "");
  const groups = useMemo(() => grouped(made, by), [made, by]);
  const laid = useMemo(() => groups.flatMap((group) => group.bands), [groups]);
  const [text, only, names] = [setting("memory.find"), setting("memory.only"), selected.value];
  const block = setting("memory.block");
  const chosen = laid.find((band) => String(band.row.index) === block);
  // A selection that is nowhere here leaves the picture as it is.
  const isSelected = laid.some(({ row }) => names.has(String(row.operator)));
  const isLit = (band: Band, group: Group) => (!only || group.name === only) && (!text || matches(band, text)) && (!isSelected || names.has(String(band.row.operator)));
  const lit = groups.flatMap((group) => group.bands.filter((band) => isLit(band, group)));
  const atPeak = (some: readonly Band[]) => bytes(some.reduce((sum, band) => sum + (isAt(band, made.peak) ? band.bytes : 0), 0));

  const { time, rest } = made;
  const looked = range.value;
  const [first, last] = [time[0]!, Math.max(time.at(-1)!, time[0]! + 1)];
  const [from, to] = looked && looked[0] - start < last && looked[1] - start > first ? [Math.max(first, looked[0] - start), Math.min(last, looked[1] - start)] : [first, last];
  let most = 1;
  const below = sums(made.bands, time.length);
  for (let state = Math.max(0, lastUntil(time, from)); state <= lastUntil(time, to); state++) most = Math.max(most, below[state]! + Math.max(0, rest[state]!));
  const scale: Scale = { from, to, most: most * 1.04, width };
  void theme.value;
  useLayoutEffect(() => {
    if (canvas.current) paint(canvas.current, { made, groups, isLit, chosen, scale, drag });
  });

  const choose = (band: Laid | undefined) => set("memory.block", band ? String(band.row.index) : null);
  const selectIt = (band: Laid | undefined) => select(typeof band?.row.operator === "string" ? [band.row.operator] : []);
  const place = (event: MouseEvent) => {
    const frame = canvas.current!.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top] as const;
  };
  const under = (event: MouseEvent) => {
    const [x, y] = place(event);
    const state = lastUntil(time, toTime(scale, x));
    const height = ((HEIGHT - BOTTOM - y) / (HEIGHT - BOTTOM - TOP)) * scale.most;
    return { state, height, band: x < LEFT ? undefined : hit(laid, state, height) };
  };
  const hover = (event: PointerEvent) => {
    if (drag) {
      setDrag([drag[0], place(event)[0]]);
      return hideTip();
    }
    const { state, height, band } = under(event);
    const sum = below[state] ?? 0;
    if (band) showTip(event, <TipLines title={bytes(band.bytes)} lines={facts(band, FRAMES)} />);
    else if (place(event)[0] >= LEFT && height >= sum && height < sum + rest[state]!) showTip(event, <TipLines title={bytes(rest[state]!)} lines={[["The rest at", duration(time[state]!)]]} />);
    else hideTip();
  };
  const release = (event: PointerEvent) => {
    if (!drag) return;
    setDrag(null);
    const ends = [drag[0], place(event)[0]].sort((a, b) => a - b).map((x) => Math.round(Math.min(to, toTime(scale, x)) + start)) as [number, number];
    if (Math.abs(drag[0] - place(event)[0]) > 4) {
      if (ends[0] < ends[1]) range.value = ends;
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

  const { shown, allocations, peak_pct: ofPeak, byte_time_pct: ofArea } = made.shown;
  const shares = [typeof ofPeak === "number" ? `${percent(ofPeak)} of the peak` : "", typeof ofArea === "number" ? `${percent(ofArea)} of bytes times time` : ""].filter(Boolean).join(" and ");
  const note = `${thousands(Number(shown))} of ${thousands(Number(allocations))} allocations that are known one by one${shares ? `, ${shares}` : ""}; the rest is the grey on top.`;
  const tools = (
    <>
      <input type="search" placeholder="Names" aria-label="Search allocations" value={text} onInput={(event) => set("memory.find", event.currentTarget.value || null)} />
      {choices.length > 1 ? (
        <label class="quiet">
          By{" "}
          <select value={by} onChange={(event) => (set("memory.only", null), set("memory.by", event.currentTarget.value))}>
            {choices.map((id) => (
              <option key={id} value={id}>
                {GROUPINGS[id as keyof typeof GROUPINGS].toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      ) : null}
    </>
  );
  return (
    <Panel title="Allocations over time" note={note} tools={tools} exports={{ name: "allocations", canvas: () => canvas.current, table: () => tableOf(found, "allocations", device)!, command: command(document, "memory") }}>
      <div class="memory-stack" ref={box}>
        <canvas
          ref={canvas}
          style={{ height: `${HEIGHT}px` }}
          tabIndex={0}
          role="application"
          aria-label={`${laid.length} allocations over time; arrows choose one, Enter selects its operator in all views`}
          onPointerDown={(event) => {
            if (event.button) return;
            const [x] = place(event);
            setDrag([Math.max(LEFT, x), x]);
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
      <div class="memory-groups" role="group" aria-label={`Allocations by ${by}, what is lowest first; bytes at the peak`}>
        {groups.map((group) => (
          <button type="button" key={group.name} class="quiet-button" aria-pressed={only === group.name} title={group.name} style={{ "--swatch": `var(--${group.colour})` }} onClick={() => set("memory.only", only === group.name ? null : group.name)}>
            <span>{group.name}</span> {atPeak(group.bands)}
          </button>
        ))}
      </div>
      <p class="note" role="status">
        {chosen ? [bytes(chosen.bytes), ...facts(chosen, 99).map(([name, value]) => `${name.toLowerCase()} ${value}`)].join(" · ") : lit.length < laid.length ? `${lit.length} of ${laid.length} shown allocations, ${atPeak(lit)} at the peak.` : "Click one, or drag to choose a time for all views. Sums are those at the peak."}
      </p>
    </Panel>
  );
}
