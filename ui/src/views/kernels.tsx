// What ran: kernels, the operators that launched them, named ranges, sequences, launches.

import { useMemo, useRef } from "preact/hooks";
import type { Props, View } from ".";
import { duration, percent } from "../format";
import { command } from "../kit/export";
import { Numbers } from "../kit/numbers";
import { Empty, Panel, lacks } from "../kit/panel";
import { filling, Legend, Patterns } from "../kit/patterns";
import { openTab, SubTabs, TablePanel } from "../kit/section";
import { useWidth } from "../kit/size";
import { hideTip, showTip, TipLines } from "../kit/tooltip";
import { type Document, type Row, rows, section } from "../source/document";
import { rank, select, selected, toggle } from "../state";

interface Part {
  id: string;
  title: string;
  section: string;
  /** Tables over all ranks, each with the one that takes its place when a rank is chosen. */
  tables: readonly (readonly [all: string, ofRank?: string])[];
}

const PARTS: readonly Part[] = [
  { id: "kernels", title: "Kernels", section: "kernels", tables: [["by_name", "by_rank_and_name"]] },
  { id: "operators", title: "Operators", section: "call-tree", tables: [["by_operator", "by_rank_and_operator"]] },
  { id: "ranges", title: "Named ranges", section: "annotations", tables: [["host", "host_by_rank"], ["gpu", "gpu_by_rank"], ["kernels_by_annotation"]] },
  { id: "sequences", title: "Sequences", section: "kernel-sequences", tables: [["by_sequence", "by_rank_and_sequence"]] },
  { id: "launches", title: "Launches", section: "launch-stats", tables: [["by_call"]] },
  { id: "delays", title: "Operators and kernels", section: "op-delays", tables: [["by_op"]] },
  { id: "queues", title: "Queues", section: "queue-length", tables: [["by_stream"]] },
  { id: "path", title: "Critical path", section: "critical-path", tables: [["by_name"], ["by_cause"]] },
  { id: "copies", title: "Copies", section: "memory-bandwidth", tables: [["by_kind"], ["by_name"]] },
];

function Kernels({ document }: Props) {
  const there = PARTS.filter((part) => section(document, part.section));
  const open = there.find((part) => part.id === openTab("kernels.part", there));
  const found = open && section(document, open.section);
  if (!open || !found) return <Empty>This document has no kernel table.</Empty>;
  const ofRank = rank.value !== null;
  return (
    <>
      <SubTabs id="kernels.part" tabs={there} label="What ran" />
      <Numbers section={found} />
      {open.id === "kernels" ? <Shares document={document} /> : null}
      {open.tables.map(([all, one]) => {
        // A report of one rank has the tables over all of them only, which are of this one.
        const table = (ofRank && found.tables.find((table) => table.id === one)) || found.tables.find((table) => table.id === all);
        return table ? <TablePanel key={all} document={document} section={found} table={table} rows={open.tables.length > 1 ? 11 : 18} /> : null;
      })}
    </>
  );
}

const TYPES = [["compute", "Compute"], ["communication", "Communication"], ["memory", "Memory"], ["c8", "Other"]] as const;

function typeOf(row: Row): string {
  return row.type === "compute" || row.type === "communication" || row.type === "memory" ? row.type : "c8";
}

/** One bar of all kernels, each as wide as its share. */
function Shares({ document }: { document: Document }) {
  const drawing = useRef<SVGSVGElement>(null);
  const [box, width] = useWidth<HTMLDivElement>();
  const only = rank.value;
  const all = useMemo(() => {
    const ofRank = only === null ? [] : rows(document, "kernels", "by_rank_and_name").filter((row) => row.rank === only);
    return ofRank.length ? ofRank : rows(document, "kernels", "by_name");
  }, [document, only]);
  const names = selected.value;
  let x = 0;
  const chosen = all.filter((row) => names.has(String(row.name))).reduce((sum, row) => sum + Number(row.share_pct ?? 0), 0);
  return (
    <Panel
      title="Shares of the summed duration"
      note={names.size && chosen ? `Selected: ${percent(chosen)}` : "Width is the kernel's share; click to select it in every view."}
      exports={{ name: "kernel-shares", svg: () => drawing.current, command: command(document, "kernels") }}
    >
      <div ref={box}>
        <svg ref={drawing} class="chart" width={width} height={54} viewBox={`0 0 ${width} 54`} role="group" aria-label="Shares of kernels" onPointerLeave={hideTip}>
          <Patterns id="shares" />
          {all.map((row, at) => {
            const wide = (Number(row.share_pct ?? 0) / 100) * width;
            const left = x;
            x += wide;
            // What is narrower than a pixel is in the table, and so is what shares that add up to too much leave no room for.
            if (wide < 0.8 || left > width) return null;
            const name = String(row.name);
            const isChosen = names.has(name);
            return (
              <g
                key={at}
                class={`segment${isChosen ? " chosen" : chosen > 0 ? " faded" : ""}`}
                onClick={(event) => (event.ctrlKey || event.metaKey || event.shiftKey ? toggle(name) : select(isChosen && names.size === 1 ? [] : [name]))}
                onPointerMove={(event) => showTip(event, <TipLines title={name} lines={[["Total", duration(Number(row.total_ns))], ["Share", percent(Number(row.share_pct))], ["Calls", String(row.calls)], ["Type", String(row.type)]]} />)}
              >
                <rect x={left} y={2} width={Math.max(0.5, wide - 1)} height={28} fill={filling(typeOf(row), "shares")} />
                {isChosen ? <rect class="edge" x={left + 1} y={2} width={Math.max(0.5, wide - 3)} height={28} fill="none" /> : null}
              </g>
            );
          })}
          <Legend parts={TYPES} id="shares" y={38} />
        </svg>
      </div>
    </Panel>
  );
}

export const kernels: View = {
  id: "kernels",
  title: "Kernels",
  filter: "time and rank",
  missing({ document }) {
    if (PARTS.some((part) => section(document, part.section))) return undefined;
    const why = document.skipped.find((one) => one.id === "kernels");
    return why ? lacks(why) : "This document has no kernels. Open a trace with GPU activities.";
  },
  Component: Kernels,
};
