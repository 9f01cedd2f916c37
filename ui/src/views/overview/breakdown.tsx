// Where the time of each GPU went.

import { useRef } from "preact/hooks";
import { duration } from "../../format";
import { aboutCell } from "../../kit/explain";
import { command } from "../../kit/export";
import { Panel } from "../../kit/panel";
import { PARTS, type Part } from "../../kit/patterns";
import { Stack, type StackRow } from "../../kit/stack";
import { type Document, owner, rows, section } from "../../source/document";
import { rank } from "../../state";

const COLUMNS: Readonly<Record<Part, string>> = { compute: "compute_ns", communication: "exposed_comm_ns", memory: "exposed_memory_ns", idle: "idle_ns" };

export function Breakdown({ document }: { document: Document }) {
  const drawing = useRef<SVGSVGElement>(null);
  const found = section(document, "temporal-breakdown");
  const table = found?.tables.find((one) => one.id === "by_rank");
  if (!found || !table) return null;
  const only = rank.value;
  const bars: StackRow[] = rows(document, found.id, table.id)
    .filter((row) => only === null || row.rank === only)
    .map((row) => ({
      label: owner(row),
      parts: (Object.keys(PARTS) as Part[]).map((part) => {
        const value = Number(row[COLUMNS[part]] ?? 0);
        const at = table.columns.findIndex((column) => column.id === COLUMNS[part]);
        return { part, label: PARTS[part], value, text: duration(value), about: () => aboutCell(table, table.rows[row.index] ?? [], at, found) };
      }),
    }));
  return (
    <Panel
      title={found.title}
      note="Shares of each rank's GPU span."
      exports={{ name: "breakdown", svg: () => drawing.current, table: () => table, command: command(document, undefined, "--section temporal-breakdown") }}
    >
      <Stack rows={bars} label={found.title} drawing={drawing} />
    </Panel>
  );
}
