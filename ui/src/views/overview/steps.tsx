// The profiler steps over time, each filled with what the GPU did in it. A click looks at that time in every view.

import { useId, useRef } from "preact/hooks";
import { duration } from "../../format";
import { command } from "../../kit/export";
import { Panel } from "../../kit/panel";
import { filling, Legend, PARTS, type Part, Patterns } from "../../kit/patterns";
import { useWidth } from "../../kit/size";
import { hideTip, showTip, TipLines } from "../../kit/tooltip";
import { type Document, owner, type Row, rows, section } from "../../source/document";
import { range, rank } from "../../state";

const COLUMNS: Readonly<Record<Part, string>> = { compute: "compute_ns", communication: "exposed_comm_ns", memory: "exposed_memory_ns", idle: "idle_ns" };
const ROW = 44;
const MOST = 16;

export function StepStrip({ document }: { document: Document }) {
  const drawing = useRef<SVGSVGElement>(null);
  const [box, width] = useWidth<HTMLDivElement>();
  const id = useId();
  const found = section(document, "steps");
  const table = found?.tables.find((one) => one.id === "by_step");
  const only = rank.value;
  const all = rows(document, "steps", "by_step").filter((row) => only === null || row.rank === only);
  if (!found || !table || all.length === 0) return null;
  const ranks = [...new Set(all.map(owner))];
  const start = Math.min(...all.map((row) => Number(row.start_ns)));
  const end = Math.max(...all.map((row) => Number(row.start_ns) + Number(row.duration_ns)));
  const left = ranks.some((one) => one.length > 7) ? 96 : 56;
  const hasGpu = all.some((row) => Object.values(COLUMNS).some((column) => typeof row[column] === "number"));
  const scale = (width - left - 2) / Math.max(1, end - start);
  const shown = ranks.slice(0, MOST);
  const height = shown.length * ROW + (hasGpu ? 20 : 0);
  return (
    <Panel
      title="Steps"
      note={range.value ? "A time window is selected; click the step again to clear it." : "Click a step to select its time in every view."}
      exports={{ name: "steps", svg: () => drawing.current, table: () => table, command: command(document, undefined, "--section steps") }}
    >
      <div ref={box}>
        <svg ref={drawing} class="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label="Steps over time" onPointerLeave={hideTip}>
          <Patterns id={id} />
          {shown.map((one, line) => (
            <g key={one} transform={`translate(0 ${line * ROW})`}>
              <text x={0} y={22} class="row-label">
                {one.length > 12 ? `${one.slice(0, 11)}…` : one}
              </text>
              {all
                .filter((row) => owner(row) === one)
                .map((row) => (
                  <Step key={row.index} row={row} id={id} x={left + (Number(row.start_ns) - start) * scale} width={Math.max(1, Number(row.duration_ns) * scale - 1)} />
                ))}
            </g>
          ))}
          {hasGpu ? <Legend parts={Object.entries(PARTS)} id={id} y={height - 14} /> : null}
        </svg>
      </div>
      {ranks.length > MOST ? (
        <p class="note">
          {MOST} of {ranks.length} ranks; choose one above for the others.
        </p>
      ) : null}
    </Panel>
  );
}

function Step({ row, id, x, width }: { row: Row; id: string; x: number; width: number }) {
  const span = [Number(row.start_ns), Number(row.start_ns) + Number(row.duration_ns)] as const;
  const chosen = range.value?.[0] === span[0] && range.value[1] === span[1];
  const choose = () => (range.value = chosen ? null : span);
  const parts = (Object.keys(PARTS) as Part[]).map((part) => [part, Number(row[COLUMNS[part]] ?? 0)] as const);
  const sum = Math.max(1, parts.reduce((all, [, value]) => all + value, 0));
  const high = ROW - 12;
  let y = high;
  return (
    <g
      class={`step${chosen ? " chosen" : ""}`}
      role="button"
      tabindex={0}
      aria-pressed={chosen}
      aria-label={`Step ${row.step} · ${duration(Number(row.duration_ns))}, rank ${row.rank}`}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        choose();
        event.preventDefault();
      }}
      onPointerMove={(event) =>
        showTip(event, <TipLines title={`Step ${row.step}, rank ${row.rank}`} lines={[["Duration", duration(Number(row.duration_ns))], ...parts.map(([part, value]) => [PARTS[part], duration(value)] as const), ["Kernels", String(row.kernels ?? "-")]]} />)
      }
    >
      {/* Without a GPU nobody knows what was done in it: it is a step and no more. */}
      <rect x={x} y={0} width={width} height={high} fill="var(--raised)" />
      {parts.map(([part, value]) => {
        const tall = (value / sum) * high;
        y -= tall;
        return tall > 0 ? <rect key={part} x={x} y={y} width={width} height={tall} fill={filling(part, id)} /> : null;
      })}
      <rect class="edge" x={x} y={0} width={width} height={high} fill="none" />
      {width > 90 ? (
        <text x={x} y={high + 10} class="tick">
          {row.step} · {duration(Number(row.duration_ns))}
        </text>
      ) : null}
    </g>
  );
}
