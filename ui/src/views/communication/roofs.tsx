// The roofline of communication: how large a message is against its bus bandwidth, below the roofs of the links.

import { useRef } from "preact/hooks";
import { bytes, decimal, duration, percent, thousands } from "../../format";
import { explain } from "../../kit/explain";
import { command } from "../../kit/export";
import { shorten } from "../../kit/names";
import { Panel } from "../../kit/panel";
import { useWidth } from "../../kit/size";
import { hideTip, showTip, TipLines } from "../../kit/tooltip";
import { type Document, section } from "../../source/document";
import { select, selected } from "../../state";
import { factors, inWords, type Link, links, type Message, messages, type Reached, reached } from "./points";

/** Pixels of a value on a logarithmic axis. */
interface Scale {
  (value: number): number;
  low: number;
  high: number;
}

function logScale(low: number, high: number, from: number, to: number): Scale {
  return Object.assign((value: number) => from + (Math.log(value / low) / Math.log(high / low)) * (to - from), { low, high });
}

const HEIGHT = 300;
const LEFT = 58;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 40;

/** Powers of two for sizes, of ten for rates: the ticks people count in. */
function powers(low: number, high: number, base: number): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log(low) / Math.log(base)); base ** power <= high * 1.0001; power++) if (base ** power >= low * 0.9999) found.push(base ** power);
  return found;
}

/** Powers of ten, and between them two and five times those if they are few. */
function rateTicks(low: number, high: number): number[] {
  const tens = powers(low / 10, high, 10);
  const steps = high / low > 1e3 ? [1] : [1, 2, 5];
  return tens.flatMap((ten) => steps.map((step) => ten * step)).filter((rate) => rate >= low && rate <= high);
}

export function Roofs({ document }: { document: Document }) {
  const drawing = useRef<SVGSVGElement>(null);
  const [box, width] = useWidth<HTMLDivElement>(900);
  const found = messages(document);
  const roofs = links(document);
  const lines = reached(document);
  if (found.length === 0) return null;
  const used = factors(found);
  const known = section(document, "comm-roofline");
  const table = (known ?? section(document, "collectives"))?.tables.find((one) => one.id === (known ? "events" : "skew")) ?? section(document, "collectives")?.tables.find((one) => one.id === "by_collective");
  const x = logScale(Math.min(...found.map((one) => one.bytes)) / 4, Math.max(...found.map((one) => one.bytes)) * 4, LEFT, width - RIGHT);
  const rates = [...found.map((one) => one.gbps), ...roofs.map((roof) => roof.wire)];
  const y = logScale(Math.min(...rates) / 2.5, Math.max(...rates) * 2, HEIGHT - BOTTOM, TOP);
  const sizes = powers(x.low, x.high, x.high / x.low > 4 ** 6 ? 4 : 2).filter((_, at, all) => at % Math.ceil(all.length / (width / 90)) === 0);
  return (
    <Panel
      title="Communication roofline"
      note={`Bus bandwidth as defined by nccl-tests: bytes over time, times a factor per collective${used.length ? ` (${used.slice(0, 6).join(", ")})` : ""}. ${
        roofs.length ? "Lines show link bandwidth; dashed lines, bandwidth after protocol overhead." : "The document names no links: `eaves roofline TRACE --device NAME --link LINK` draws their roofs."
      }${lines.length ? " Dotted lines show the measured limits of one collective: its best bandwidth, and a slope for the start-up time." : ""}`}
      exports={{ name: "comm-roofline", svg: () => drawing.current, ...(table ? { table: () => table } : {}), command: command(document, "roofline") }}
    >
      <div ref={box}>
        <svg ref={drawing} class="chart" width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="group" aria-label="Bus bandwidth by message size" onPointerLeave={hideTip}>
          {sizes.map((size) => (
            <g key={size} transform={`translate(${x(size)} 0)`}>
              <line class="grid" y1={TOP} y2={HEIGHT - BOTTOM} />
              <text class="tick" y={HEIGHT - BOTTOM + 15} text-anchor="middle">
                {bytes(size).replace(".0", "")}
              </text>
            </g>
          ))}
          {rateTicks(y.low, y.high).map((rate) => (
            <g key={rate} transform={`translate(0 ${y(rate)})`}>
              <line class="grid" x1={LEFT} x2={width - RIGHT} />
              <text class="tick" x={LEFT - 6} y={4} text-anchor="end">
                {rate >= 1 ? thousands(rate) : String(rate)}
              </text>
            </g>
          ))}
          <line class="axis" x1={LEFT} x2={width - RIGHT} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
          <text class="title" x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 6} text-anchor="middle">
            bytes of a message
          </text>
          <text class="title" transform={`translate(13 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`} text-anchor="middle">
            bus bandwidth, GB/s
          </text>
          {roofs.map((roof, at) => (
            <Roof key={roof.name} roof={roof} at={at} y={y} width={width} shift={besides(roof, roofs, y)} />
          ))}
          {lines.map((one, at) => (
            <Line key={one.name} one={one} x={x} y={y} isNamed={lines.slice(0, at).every((other) => Math.abs(y(other.gbps) - y(one.gbps)) > 14)} section={known ? "comm-roofline" : "collectives"} />
          ))}
          {found.map((one, at) => (
            <Dot key={at} one={one} x={x(one.bytes)} y={y(one.gbps)} most={Math.max(...found.map((other) => other.time))} />
          ))}
        </svg>
      </div>
    </Panel>
  );
}

/** How many labels of roofs just above this one are in the way of its own. */
function besides(roof: Link, roofs: readonly Link[], y: (rate: number) => number): number {
  const above = roofs.filter((other) => other !== roof && other.wire >= roof.wire && Math.abs(y(other.wire) - y(roof.wire)) < 18);
  return above.filter((other) => other.wire > roof.wire || roofs.indexOf(other) < roofs.indexOf(roof)).length;
}

function Roof({ roof, at, y, width, shift }: { roof: Link; at: number; y: (rate: number) => number; width: number; shift: number }) {
  const colour = `var(--c${(at % 7) + 1})`;
  const about = (anchor: Element) =>
    explain(anchor, {
      title: `${roof.name}, in one direction`,
      text: `${decimal(roof.wire)} GB/s`,
      formula: `${roof.source ?? ""}${roof.confidence ? ` (confidence: ${roof.confidence})` : ""}`,
      inputs: roof.protocol === null ? [] : [[`after ${roof.protocolName ?? "the protocol"}`, `${decimal(roof.protocol)} GB/s`]],
      provenance: "datasheet",
      section: "comm-roofline",
      table: "links",
    });
  return (
    <g
      class="roof"
      role="button"
      tabindex={0}
      aria-label={`${roof.name} ${decimal(roof.wire)} GB/s, explain`}
      onClick={(event) => about(event.currentTarget)}
      onKeyDown={(event) => event.key === "Enter" && about(event.currentTarget)}
    >
      {/* A line is too thin to be hit. */}
      <rect x={LEFT} width={width - LEFT - RIGHT} y={y(roof.wire) - 6} height={y(roof.protocol ?? roof.wire) - y(roof.wire) + 12} fill="transparent" stroke="none" />
      <line x1={LEFT} x2={width - RIGHT} y1={y(roof.wire)} y2={y(roof.wire)} stroke={colour} stroke-width={2} />
      {roof.protocol === null ? null : <line x1={LEFT} x2={width - RIGHT} y1={y(roof.protocol)} y2={y(roof.protocol)} stroke={colour} stroke-width={1.5} stroke-dasharray="6 4" />}
      {/* Below its line if there is another one just above. */}
      <text x={LEFT + 8 + Math.floor(shift / 2) * 190} y={shift % 2 ? y(roof.protocol ?? roof.wire) + 14 : y(roof.wire) - 5} style={{ fill: colour }}>
        {roof.name} {decimal(roof.wire)} GB/s
      </text>
    </g>
  );
}

/** A slope up to the knee, and the roof from there. */
function Line({ one, x, y, section: id, isNamed }: { one: Reached; x: Scale; y: Scale; section: string; isNamed: boolean }) {
  const startup = one.startup ?? 0;
  // The slope leaves the chart at its lower edge, or at its left one.
  const from = Math.max(x.low, (y.low * startup) / one.factor);
  const knee = Math.min(Math.max(one.knee ?? x.low, from), x.high);
  const at = (bytes: number) => `${x(bytes)},${y(startup ? Math.min((bytes * one.factor) / startup, one.gbps) : one.gbps)}`;
  // Where nothing else is: left of the knee, or above the left end of the roof.
  const hasRoom = startup > 0 && x(knee) > LEFT + 220;
  const points = [from, knee, x.high].map(at).join(" ");
  const about = (anchor: Element) =>
    explain(anchor, {
      title: `${inWords(one.name)}, as reached here`,
      text: `${decimal(one.gbps)} GB/s`,
      formula: "The best mean bus bandwidth over all sizes; left of the knee, bytes times the factor over the shortest mean time, an upper bound of the start-up time.",
      inputs: [
        ["Factor used", decimal(one.factor)],
        ["Start-up, at most", one.startup === null ? "unknown: every size is close to the bandwidth" : duration(one.startup)],
        ["Knee", one.knee === null ? "-" : bytes(one.knee)],
      ],
      provenance: "measured",
      section: id,
      table: "reached",
    });
  return (
    <g class="roof" role="button" tabindex={0} aria-label={`${inWords(one.name)} reached ${decimal(one.gbps)} GB/s${one.startup === null ? "" : `, start-up at most ${duration(one.startup)}`}, explain`} onClick={(event) => about(event.currentTarget)} onKeyDown={(event) => event.key === "Enter" && about(event.currentTarget)}>
      <polyline points={points} fill="none" stroke="transparent" stroke-width={10} />
      <polyline points={points} fill="none" stroke="var(--quiet)" stroke-width={1.5} stroke-dasharray="1.5 4" stroke-linecap="round" />
      {isNamed ? (
        // Roofs have their names at the left.
        <text x={hasRoom ? x(knee) - 8 : x(x.high) - 8} y={y(one.gbps) - (hasRoom ? -4 : 5)} text-anchor="end" class="tick reached">
          {`${inWords(one.name)} reached ${decimal(one.gbps)} GB/s`}
        </text>
      ) : null}
    </g>
  );
}

function Dot({ one, x, y, most }: { one: Message; x: number; y: number; most: number }) {
  const size = 5 + 7 * Math.sqrt(most > 0 ? one.time / most : 0);
  const chosen = selected.value.has(one.name);
  const ring = 2 * Math.PI * (size + 3);
  return (
    <g
      role="button"
      tabindex={0}
      aria-pressed={chosen}
      aria-label={`${inWords(one.name)}, ${bytes(one.bytes)}, ${decimal(one.gbps)} GB/s`}
      onClick={() => select(chosen ? [] : [one.name])}
      onKeyDown={(event) => event.key === "Enter" && select(chosen ? [] : [one.name])}
      onPointerMove={(event) =>
        showTip(
          event,
          <TipLines
            title={shorten(inWords(one.name), 60)}
            lines={[
              ["Message", bytes(one.bytes)],
              ["Bus bandwidth", `${decimal(one.gbps)} GB/s`],
              ["Factor used", one.factor === null ? "not known" : decimal(one.factor)],
              ["Of the wire", one.utilisation === null ? "no link known" : percent(one.utilisation)],
              ["Exposed", one.exposed === null ? "not known" : percent(one.exposed)],
              ["Calls", thousands(one.calls)],
              ["Time", duration(one.time)],
              ...(one.flag ? [["Note", one.flag] as const] : []),
            ]}
          />,
        )
      }
    >
      {one.exposed === null ? null : (
        <circle cx={x} cy={y} r={size + 3} fill="none" stroke="var(--communication)" stroke-width={2.5} stroke-dasharray={`${(ring * one.exposed) / 100} ${ring}`} transform={`rotate(-90 ${x} ${y})`} />
      )}
      <circle cx={x} cy={y} r={size} fill={chosen ? "var(--selected-line)" : "var(--c1)"} fill-opacity={0.75} stroke="var(--surface)" />
    </g>
  );
}
