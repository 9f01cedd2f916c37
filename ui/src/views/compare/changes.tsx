// Summary: how far each measure moved, against the band in which repeated steps differ anyway.

import { useRef } from "preact/hooks";
import { cell, duration, tendency, words } from "../../format";
import { aboutCell, explain } from "../../kit/explain";
import { command } from "../../kit/export";
import { Panel } from "../../kit/panel";
import { useWidth } from "../../kit/size";
import { hideTip, showTip, TipLines } from "../../kit/tooltip";
import { type Document, section } from "../../source/document";

const ROW = 26;

/** Time in which nothing useful runs is no speed: there is more of it, or less. */
function verdictOf(metric: string, verdict: string): string {
  if (!/^(idle|exposed_)/.test(metric)) return verdict;
  return verdict === "slower" ? "more" : verdict === "faster" ? "less" : verdict;
}

export function Changes({ document }: { document: Document }) {
  const drawing = useRef<SVGSVGElement>(null);
  const [box, width] = useWidth<HTMLDivElement>(900);
  const found = section(document, "diff");
  const table = found?.tables.find((one) => one.id === "summary");
  if (!found || !table) return null;
  const at = (id: string) => table.columns.findIndex((column) => column.id === id);
  const all = table.rows.filter((row) => typeof row[at("delta_ns")] === "number");
  const isNarrow = width < 560;
  const left = isNarrow ? 118 : 150;
  const right = isNarrow ? 62 : 250;
  const middle = left + (width - left - right) / 2;
  const half = Math.max(40, (width - left - right) / 2 - 8);
  const most = Math.max(1, ...all.map((row) => Math.abs(Number(row[at("delta_ns")]))));
  const scale = half / most;
  const cut = (time: number) => Math.max(-half, Math.min(half, time * scale));
  const height = all.length * ROW + 24;
  return (
    <Panel
      title="Change per step"
      note="Bars are changes in time per step and rank, on one scale. The gray band is the variation of repeated steps, so bars inside it are noise."
      exports={{ name: "changes", svg: () => drawing.current, table: () => table, command: command(document, "diff") }}
    >
      <div ref={box}>
        <svg ref={drawing} class="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label="Changes per step" onPointerLeave={hideTip}>
          <line class="axis" x1={middle} x2={middle} y1={0} y2={height - 22} />
          {all.map((row, index) => {
            const delta = Number(row[at("delta_ns")]);
            const band = typeof row[at("band_ns")] === "number" ? Number(row[at("band_ns")]) : null;
            const metric = String(row[at("metric")]);
            const verdict = verdictOf(metric, String(row[at("verdict")]));
            const tone = tendency(row[at("verdict")]);
            const end = cut(delta);
            const about = (anchor: Element) => explain(anchor, aboutCell(table, row, at("delta_ns"), found));
            const share = cell(row[at("delta_pct")], { id: "delta_pct", unit: "%" });
            const text = `${cell(delta, { id: "delta_ns", unit: "ns" })} (${share})`;
            return (
              <g
                key={index}
                transform={`translate(0 ${index * ROW})`}
                role="button"
                tabindex={0}
                aria-label={`${words(metric)} ${text} ${verdict}`}
                onClick={(event) => about(event.currentTarget)}
                onKeyDown={(event) => event.key === "Enter" && about(event.currentTarget)}
                onPointerMove={(event) =>
                  showTip(
                    event,
                    <TipLines
                      title={words(metric)}
                      lines={[
                        ["Base", duration(Number(row[at("base_ns")]))],
                        ["New", duration(Number(row[at("new_ns")]))],
                        ["Change", text],
                        ["Noise", band === null ? "unknown" : `±${duration(band)}`],
                        ["Verdict", verdict],
                      ]}
                    />,
                  )
                }
              >
                <rect x={0} width={width} height={ROW} fill="transparent" />
                <text x={0} y={17}>
                  {words(metric)}
                </text>
                {band === null ? null : <rect x={middle + cut(-band)} width={cut(band) - cut(-band)} y={3} height={ROW - 6} fill="var(--idle)" opacity={0.6} />}
                <rect x={middle + Math.min(0, end)} width={Math.max(1, Math.abs(end))} y={7} height={ROW - 14} rx={2} fill={tone === "better" ? "var(--better)" : tone === "worse" ? "var(--worse)" : "var(--strong-line)"} />
                <text x={width - right + 8} y={17} class={tone}>
                  {isNarrow ? share : `${text} ${verdict}`}
                </text>
              </g>
            );
          })}
          <text class="tick" x={middle} y={height - 6} text-anchor="middle">
            0
          </text>
          <text class="tick" x={middle - half} y={height - 6} text-anchor="middle">
            -{duration(most)}
          </text>
          <text class="tick" x={middle + half} y={height - 6} text-anchor="middle">
            +{duration(most)}
          </text>
        </svg>
      </div>
    </Panel>
  );
}
