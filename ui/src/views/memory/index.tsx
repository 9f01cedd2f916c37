// Where memory went: over time, at the peak, from step to step, and when it ran out.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { bytes, cell, duration } from "../../format";
import { aboutCell, Explained } from "../../kit/explain";
import { command } from "../../kit/export";
import { Numbers } from "../../kit/numbers";
import { Empty, Panel } from "../../kit/panel";
import { FindingsPanel } from "../../kit/section";
import { DataTable } from "../../kit/table";
import { generation } from "../../source/cache";
import { type Document, type Section, section, type Table, type Value } from "../../source/document";
import { range, rank, set, setting, view } from "../../state";
import type { Props, View } from "..";
import { AtPeak } from "./at-peak";
import { Chart } from "./chart";
import { load } from "../timeline/load";
import { type Device, devices, keyOf, missing, nameOf, series, tableOf } from "./data";
import { StackedPanel } from "./stack-chart";
import "./memory.css";

/** Less than this share of the limit, and the limit is not drawn unless asked for: all else would be a line at the bottom. */
const NEAR_LIMIT = 0.3;

/** Where each rank begins in the time that all views share: the timeline says it; without one they begin together. */
function useStarts(source: Props["source"]): ReadonlyMap<Value, number> {
  const [starts, setStarts] = useState<ReadonlyMap<Value, number>>(new Map());
  useEffect(() => {
    let isCurrent = true;
    load(source).then(
      (data) => isCurrent && data && setStarts(new Map(data.ranks.map((one) => [one.rank, one.start]))),
      // The view is whole without.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [source, generation.value]);
  return starts;
}

function MemoryView({ source, document }: Props) {
  const starts = useStarts(source);
  const found = section(document, "memory");
  const all = useMemo(() => devices(document), [document]);
  const only = rank.value;
  const shown = all.filter((one) => only === null || one.rank === only);
  const wanted = setting("memory.device");
  const device = shown.find((one) => keyOf(one) === wanted) ?? shown[0];
  if (!found || !device) return <Empty>{only === null ? "No device has memory in this recording." : `Rank ${only} has no memory in this recording.`}</Empty>;
  const tabs = shown.map((one) => ({ id: keyOf(one), title: nameOf(one, all) }));
  return (
    <div class="memory">
      {tabs.length > 1 ? <Devices tabs={tabs} open={keyOf(device)} /> : null}
      <OverTime document={document} device={device} start={starts.get(device.rank) ?? 0} />
      <StackedPanel document={document} found={found} device={device} start={starts.get(device.rank) ?? 0} />
      <Failures document={document} found={found} device={device} />
      <AtPeak source={source} document={document} found={found} device={device} />
      <div class="columns">
        <Allocator found={found} device={device} />
        <Steps document={document} found={found} device={device} />
      </div>
      <FindingsPanel title="What follows" sections={[found]} />
      <Panel title="All numbers">
        <Numbers section={found} />
      </Panel>
    </div>
  );
}

function Devices({ tabs, open }: { tabs: readonly { id: string; title: string }[]; open: string }) {
  return (
    <label class="memory-device">
      Device
      <select value={open} onChange={(event) => set("memory.device", event.currentTarget.value === tabs[0]?.id ? null : event.currentTarget.value)}>
        {tabs.map((tab) => (
          <option key={tab.id} value={tab.id}>
            {tab.title}
          </option>
        ))}
      </select>
    </label>
  );
}

function OverTime({ document, device, start }: { document: Document; device: Device; start: number }) {
  const made = useMemo(() => series(document, device, start), [document, device, start]);
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const near = made.limit !== null && made.peak !== null && made.peak.bytes > NEAR_LIMIT * made.limit;
  const withLimit = setting("memory.limit", near ? "on" : "off") === "on";
  const looked = range.value;
  const tools = (
    <>
      {looked ? (
        <>
          <span class="quiet">
            {duration(looked[0] - start)} to {duration(looked[1] - start)}
          </span>
          <button type="button" class="quiet-button" onClick={() => (view.value = "timeline")}>
            Show in the timeline
          </button>
          <button type="button" class="quiet-button" onClick={() => (range.value = null)}>
            All of the time
          </button>
        </>
      ) : null}
      {made.limit !== null ? (
        <button type="button" class="button" aria-pressed={withLimit} onClick={() => set("memory.limit", withLimit === near ? (withLimit ? "off" : "on") : null)}>
          Device limit
        </button>
      ) : null}
    </>
  );
  const found = section(document, "memory");
  const row = found && tableOf(found, "by_device", device);
  const told = (id: string, text: string) => {
    const at = row?.columns.findIndex((column) => column.id === id) ?? -1;
    return found && row && at >= 0 ? <Explained about={() => aboutCell(row, row.rows[0]!, at, found)}>{text}</Explained> : text;
  };
  const note = made.peak ? (
    <>
      Peak {told("peak_bytes", bytes(made.peak.bytes))}
      {made.limit === null ? null : <> of the {told("capacity_bytes", bytes(made.limit))} that the device has</>}, at {told("peak_at_ns", duration(made.peak.time))}. Drag to choose a time for all views; double-click clears it.
    </>
  ) : undefined;
  if (made.time.length === 0) return <Panel title="Memory over time"><Empty>No memory events recorded.</Empty></Panel>;
  return (
    <Panel title="Memory over time" note={note} tools={tools} exports={{ name: "memory", canvas: () => canvas.current, command: command(document, "memory", "-o memory.svg") }}>
      <Chart series={made} withLimit={withLimit} onCanvas={(painted) => (canvas.current = painted)} />
      <ul class="memory-legend" aria-label="Lines">
        <li class="used">in use</li>
        <li class="reserved">reserved by the allocator</li>
        {withLimit ? <li class="limit">device limit</li> : null}
      </ul>
    </Panel>
  );
}

function Failures({ document, found, device }: { document: Document; found: Section; device: Device }) {
  const failed = tableOf(found, "out_of_memory", device);
  const held = tableOf(found, "at_failure_by_stack", device);
  if (!failed) return null;
  return (
    <Panel title="Out of memory" note={failed.title} exports={{ name: "out-of-memory", table: () => failed, command: command(document, "memory") }}>
      <DataTable table={failed} section={found} id="memory.out_of_memory" rows={6} bare />
      {held ? (
        <>
          <h3 class="memory-sub">{held.title}</h3>
          <DataTable table={held} section={found} id="memory.at_failure_by_stack" sort="-bytes" rows={8} bare />
        </>
      ) : null}
    </Panel>
  );
}

/** The row of a device as names and values, each of which explains itself. */
function Facts({ table, found, ids }: { table: Table; found: Section; ids?: readonly string[] }) {
  const row = table.rows[0];
  if (!row) return null;
  return (
    <dl class="memory-facts">
      {table.columns.map((column, at) =>
        row[at] === null || (ids && !ids.includes(column.id)) ? null : (
          <div key={column.id}>
            <dt>{column.title ?? column.id}</dt>
            <dd>
              <Explained about={() => aboutCell(table, row, at, found)}>{cell(row[at], column)}</Explained>
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Reserved and not used, in which pieces, and what that cost. */
function Allocator({ found, device }: { found: Section; device: Device }) {
  const allocator = tableOf(found, "allocator", device);
  const row = tableOf(found, "by_device", device);
  if (!allocator && !row) return null;
  return (
    <Panel title="Allocator and fragmentation" note={allocator?.title ?? row?.title}>
      {row ? <Facts table={row} found={found} ids={["peak_reserved_bytes", "unused_bytes", "reserved_pct", "capacity_bytes", "end_bytes", "end_reserved_bytes", "allocations", "releases", "counted"]} /> : null}
      {allocator ? <Facts table={allocator} found={found} /> : null}
    </Panel>
  );
}

/** What stays from step to step. */
function Steps({ document, found, device }: { document: Document; found: Section; device: Device }) {
  const steps = tableOf(found, "by_step", device);
  const growth = tableOf(found, "growth_by_stack", device);
  if (!steps && !growth) return null;
  const exported = growth ?? steps!;
  return (
    <Panel title="By step" note={growth ? growth.title : "No line grew in every one of the last steps."} exports={{ name: `memory-${exported.id}`, table: () => exported, command: command(document, "memory") }}>
      {growth ? <DataTable table={growth} section={found} id="memory.growth_by_stack" rows={8} bare /> : null}
      {steps ? <DataTable table={steps} section={found} id="memory.by_step" rows={8} bare /> : null}
    </Panel>
  );
}

export const memory: View = { id: "memory", title: "Memory", filter: "itself", missing: ({ document }) => missing(document), Component: MemoryView };
