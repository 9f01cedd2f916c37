// What the machine of the server does now: processors, memory and GPUs, while something runs on it.

import { useEffect, useRef, useState } from "preact/hooks";
import { bytes, decimal, percent, thousands } from "../../format";
import { Empty, Panel } from "../../kit/panel";
import type { Props, View } from "..";
import { area, ceiling, type Line, lines, path, type Sample } from "./lines";
import "./live.css";

/** Samples that are kept: two minutes. */
const ROOM = 240;
const [WIDTH, HEIGHT] = [600, 44];

function said(value: number | null, unit: Line["unit"]): string {
  if (value === null) return "-";
  if (unit === "%") return percent(value);
  if (unit === "bytes") return bytes(value);
  return `${unit === "" ? decimal(value) : thousands(Math.round(value))} ${unit}`.trim();
}

function Live({ source }: Props) {
  const samples = useRef<Sample[]>([]);
  const [shown, setShown] = useState<readonly Sample[]>([]);
  const [isFrozen, freeze] = useState(false);
  const frozen = useRef(false);
  frozen.current = isFrozen;
  useEffect(
    () =>
      source.listen("live", (message) => {
        if (message.kind !== "live") return;
        // What is frozen is the picture; samples go on, so that there is no gap afterwards.
        samples.current = [...samples.current.slice(1 - ROOM), message.data as Sample];
        if (!frozen.current) setShown(samples.current);
      }),
    [source],
  );
  const last = shown.at(-1);
  if (!last) return <Empty>Waiting for the first sample…</Empty>;
  const found = lines(shown);
  const groups = [...new Set(found.map((line) => line.group))];
  const tools = (
    <button
      type="button"
      class="button"
      aria-pressed={isFrozen}
      onClick={() => {
        freeze(!isFrozen);
        if (isFrozen) setShown(samples.current);
      }}
    >
      {isFrozen ? "Go on" : "Freeze"}
    </button>
  );
  return (
    <div class="live">
      {groups.map((group, at) => (
        <Panel key={group} title={group} tools={at === 0 ? tools : undefined} note={at === 0 ? `${isFrozen ? "Frozen at" : "Now,"} ${new Date(last.time_ms).toLocaleTimeString()}; the last two minutes, two samples a second.` : undefined}>
          {found.filter((line) => line.group === group).map((line) => (
            <Row key={line.title} line={line} />
          ))}
          <p class="live-time quiet">
            <span>2 min ago</span>
            <span>now</span>
          </p>
          {at === 0 && last.cpu ? <Cores shares={last.cpu.cores_pct} /> : null}
        </Panel>
      ))}
      {last.gpus.length === 0 ? <Empty>No GPU telemetry: neither NVIDIA's driver library nor an AMD device was found.</Empty> : null}
    </div>
  );
}

function Row({ line }: { line: Line }) {
  const now = line.values.at(-1) ?? null;
  const words = `${said(now, line.unit)}${line.most !== null && line.unit !== "%" ? ` of ${said(line.most, line.unit)}` : ""}`;
  return (
    <div class="live-row">
      <span>{line.title}</span>
      <b>{words}</b>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${line.title}: ${words}; the scale ends at ${said(ceiling(line), line.unit)}`}>
        <path class="grid" d={`M0 ${HEIGHT / 2}H${WIDTH}`} />
        <path class="area" d={area(line, ROOM, WIDTH, HEIGHT)} />
        <path class="line" d={path(line, ROOM, WIDTH, HEIGHT)} />
      </svg>
      <span class="live-scale quiet">
        <span>{said(ceiling(line), line.unit)}</span>
        <span>0</span>
      </span>
    </div>
  );
}

function Cores({ shares }: { shares: readonly number[] }) {
  return (
    <div class="live-cores" role="img" aria-label={`Cores: ${shares.map((share) => percent(share)).join(", ")}`}>
      <span>Cores</span>
      {shares.map((share, at) => (
        <i key={at} title={`core ${at}: ${percent(share)}`} style={{ "--share": `${Math.min(100, share || 0)}%` }} />
      ))}
    </div>
  );
}

export const live: View = {
  id: "live",
  title: "Live",
  needsNoRun: true,
  missing: ({ source }) => (source.live ? undefined : "This page is a file. `eaves open TRACE` shows live load; `eaves watch -- CMD` prints it while a program runs."),
  Component: Live,
};
