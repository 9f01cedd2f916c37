// Every function of a flame graph with its time: the list from which one chooses whose callers and callees are shown.

import { useMemo, useState } from "preact/hooks";
import { useSize } from "../../kit/canvas";
import { ExportMenu } from "../../kit/export";
import { DataTable } from "../../kit/table";
import type { Table } from "../../source/document";
import type { Tree } from "./data";
import type { Flame } from "./flame";

/** Pixels of what stands above and below the rows. */
const HEAD = 130;

export interface Sum {
  name: number;
  self: number;
  /** With all that it called; a call of itself within itself counts once. */
  total: number;
}

/** What each function has, wherever it is called. */
export function functions(of: Tree, metric: number): Sum[] {
  const [own, total] = [of.own[metric]!, of.total[metric]!];
  const found = new Map<number, Sum>();
  /** Up to which frame the outermost call of each name goes that is open. */
  const until = new Map<number, number>();
  for (let frame = 1; frame < of.count; frame++) {
    const name = of.name[frame]!;
    const sum = found.get(name) ?? { name, self: 0, total: 0 };
    found.set(name, sum);
    sum.self += own[frame]!;
    if (frame < (until.get(name) ?? 0)) continue;
    until.set(name, of.end[frame]!);
    sum.total += total[frame]!;
  }
  return [...found.values()].filter((one) => one.total > 0);
}

export function Functions({ flame }: { flame: Flame }) {
  const metric = flame.metric.value;
  const { data, merged } = flame;
  const [height, setHeight] = useState(480);
  const box = useSize<HTMLDivElement>(() => setHeight(box.current?.clientHeight ?? 480));
  const table = useMemo((): Table => {
    const unit = data.metrics[metric]?.unit ?? "count";
    const rows = merged ? functions(merged, metric).map((one) => [data.names[one.name] ?? "", one.self, one.total]) : [];
    return { id: "functions", title: "Functions", columns: [{ id: "name", title: "Function" }, { id: "self", title: "Self", unit }, { id: "total", title: "Total", unit }], rows };
  }, [data, merged, metric]);
  return (
    <div class="flame-functions" ref={box}>
      <DataTable table={table} id="flame.functions" sort="-self" rows={Math.max(6, Math.floor((height - HEAD) / 26))} />
      <ExportMenu exports={{ name: "functions", table: () => table }} />
    </div>
  );
}
