// What is known of a slice, and of an area.

import { counted, duration, thousands } from "../../format";
import { DataTable } from "../../kit/table";
import { ExportMenu } from "../../kit/export";
import { setting } from "../../state";
import { rankName } from "./join";
import { MOST_ARROWS, type Slices } from "./relations";
import type { Area } from "./scene";
import { areaTable, sumArea } from "./sums";
import type { Timeline } from "./timeline";

/** What is said of an entry, name and value. */
export function facts(slices: Slices, entry: number): [string, string][] {
  const { data } = slices;
  const { start, end, busy, count, detail, head, ranks } = data;
  const { track } = slices.rowOf(entry);
  const lines: [string, string][] = [];
  const length = end[entry]! - start[entry]!;
  if (count[entry]! > 1) {
    lines.push(["Short slices", `${thousands(count[entry]!)} in ${duration(length)}, the longest is named`]);
    lines.push(["Busy", duration(busy[entry]!)]);
  } else lines.push(["Duration", duration(length)]);
  lines.push(["Begins at", duration(start[entry]!)]);
  lines.push(["Kind", head.classes[slices.classOf(entry)]?.[0] ?? ""]);
  lines.push(["On", `${track.group}, ${track.name}${ranks.length > 1 ? `, ${rankName(track.rank)}` : ""}`]);
  const particulars = detail[entry] ? head.details[detail[entry]! - 1] : undefined;
  if (particulars?.startsWith("inputs ")) lines.push(["Inputs", particulars.slice("inputs ".length)]);
  else for (const part of particulars?.split(", ") ?? []) lines.push(fact(part));
  return lines;
}

/** "grid 4×1×1" and "32 registers" as name and value. */
function fact(text: string): [string, string] {
  const named = /^(grid|block|occupancy) (.*)$/.exec(text);
  if (named) return [named[1]!.charAt(0).toUpperCase() + named[1]!.slice(1), named[2]!];
  const counts = /^(\S+(?: [KMGT]i?B)?) (registers|shared memory)$/.exec(text);
  if (counts) return [counts[2]!.charAt(0).toUpperCase() + counts[2]!.slice(1), counts[1]!];
  if (/ GB\/s$/.test(text)) return ["Bandwidth", text];
  if (/^[\d.,]+ ([KMGT]i)?B$/.test(text)) return ["Bytes", text];
  return ["Detail", text];
}

function Link({ timeline, entry, children }: { timeline: Timeline; entry: number; children: string }) {
  return (
    <button type="button" class="link" onClick={() => timeline.choose(entry, true)}>
      {children}
    </button>
  );
}

/** How an entry hangs together with others. */
function Relations({ timeline, entry }: { timeline: Timeline; entry: number }) {
  const slices = timeline.shown.value;
  const { data } = slices;
  const call = data.launch[entry]!;
  const name = (of: number) => data.head.short[data.name[of]!] || slices.nameOf(of);
  const lines: preact.ComponentChildren[] = [];
  if (call >= 0) {
    const operator = slices.operator(call);
    lines.push(<li key="launch">Launched {duration(data.start[entry]! - data.start[call]!)} before it began by <Link timeline={timeline} entry={call}>{name(call)}</Link></li>);
    if (operator >= 0) lines.push(<li key="operator">For the operator <Link timeline={timeline} entry={operator}>{name(operator)}</Link></li>);
  } else {
    const caller = slices.caller(entry);
    if (caller >= 0) lines.push(<li key="caller">Inside <Link timeline={timeline} entry={caller}>{name(caller)}</Link></li>);
    const arrows = timeline.arrowsOfChosen();
    if (arrows.length) {
      const [, first] = arrows[0]!;
      const many = arrows.length >= MOST_ARROWS ? `${MOST_ARROWS} or more` : String(arrows.length);
      lines.push(<li key="launched">Launched {many}, first <Link timeline={timeline} entry={first}>{name(first)}</Link></li>);
    }
  }
  return lines.length ? <ul class="relations">{lines}</ul> : null;
}

function SliceDetails({ timeline }: { timeline: Timeline }) {
  void timeline.chosen.value;
  void setting("timeline.arrows");
  const slices = timeline.shown.value;
  const entry = timeline.chosenEntry();
  if (entry < 0) {
    const chosen = timeline.chosen.value;
    return chosen ? <p class="quiet">{chosen.name}: zoom in to see it, it is in a group at this zoom.</p> : null;
  }
  return (
    <>
      <h2 class="mono">{slices.nameOf(entry)}</h2>
      <dl class="facts-grid">
        {facts(slices, entry).map(([label, value], at) => (
          <div key={at}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Relations timeline={timeline} entry={entry} />
    </>
  );
}

function AreaDetails({ timeline, area }: { timeline: Timeline; area: Area }) {
  const slices = timeline.shown.value;
  const offsets = timeline.drawn?.offsets ?? new Map<number, number>();
  const parts = slices.data.rows
    .filter((row) => area.keys.has(row.key))
    .map((row) => ({ row, from: area.from + (offsets.get(row.track.rank) ?? 0), to: area.to + (offsets.get(row.track.rank) ?? 0) }));
  const sum = sumArea(slices, parts);
  const table = areaTable(sum);
  return (
    <>
      <header class="area-head">
        <h2>{counted(sum.count, "slice")}</h2>
        <span class="quiet">
          {counted(sum.names.length, "name")} on {counted(parts.length, "row")} within {duration(area.to - area.from)} from {duration(area.from)}; {duration(sum.self)} in sum, time inside of others once
          {sum.grouped ? `; ${thousands(sum.grouped)} are grouped and count for the longest of their group` : ""}
        </span>
        <span class="grow" />
        <ExportMenu exports={{ name: "area", table: () => table }} />
        <button type="button" class="icon" aria-label="Close the area" onClick={() => timeline.keepArea(null)}>
          ×
        </button>
      </header>
      <DataTable table={table} id="timeline.area" sort="-self_ns" rows={7} bare />
    </>
  );
}

export function Details({ timeline }: { timeline: Timeline }) {
  const area = timeline.area.value;
  const chosen = timeline.chosen.value;
  if (!area && !chosen) return null;
  return (
    <section class="timeline-details" aria-live="polite" aria-label="Details">
      {area ? <AreaDetails timeline={timeline} area={area} /> : <SliceDetails timeline={timeline} />}
      {!area ? (
        <button type="button" class="icon close" aria-label="Close the details" onClick={() => timeline.choose(-1)}>
          ×
        </button>
      ) : null}
    </section>
  );
}
