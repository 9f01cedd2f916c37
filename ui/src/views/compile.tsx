// What torch.compile did: where graphs break, what was compiled again, where the time went, what was fused.

import { useRef } from "preact/hooks";
import type { Props, View } from ".";
import { duration } from "../format";
import { aboutCell } from "../kit/explain";
import { command } from "../kit/export";
import { Panel } from "../kit/panel";
import { openTab, SectionView, SubTabs } from "../kit/section";
import { Stack } from "../kit/stack";
import { type Document, section } from "../source/document";

const PARTS = ["graph-breaks", "recompiles", "compile-time", "fusion", "compile-stacks", "compile-ranks"] as const;

function Compile({ document }: Props) {
  const there = PARTS.flatMap((id) => {
    const found = section(document, id);
    const marks = found?.findings.length ? ` (${found.findings.length})` : "";
    return found ? [{ id, title: `${found.title}${marks}` }] : [];
  });
  const open = openTab("compile.part", there);
  const found = open ? section(document, open) : undefined;
  return (
    <>
      <Phases document={document} />
      <SubTabs id="compile.part" tabs={there} label="Compilation summary" />
      {found ? <SectionView key={found.id} document={document} section={found} /> : null}
    </>
  );
}

/** The phases of compiling, each without those inside of it, so that they add up. */
function Phases({ document }: { document: Document }) {
  const drawing = useRef<SVGSVGElement>(null);
  const found = section(document, "compile-time");
  const table = found?.tables.find((one) => one.id === "phases");
  if (!found || !table || table.rows.length === 0) return null;
  const at = (id: string) => table.columns.findIndex((column) => column.id === id);
  const parts = table.rows.map((row, index) => {
    const value = Number(row[at("time_ns")] ?? 0);
    return { part: `c${(index % 8) + 1}`, label: String(row[at("phase")]), value, text: duration(value), about: () => aboutCell(table, row, at("time_ns"), found) };
  });
  return (
    <Panel title="Compile time breakdown" note={table.title} exports={{ name: "compile-phases", svg: () => drawing.current, table: () => table, command: command(document, "compile") }}>
      <Stack rows={[{ label: "all", parts }]} label="Phases of compiling" drawing={drawing} />
    </Panel>
  );
}

export const compile: View = {
  id: "compile",
  title: "Compile",
  missing: ({ document }) =>
    PARTS.some((id) => section(document, id))
      ? undefined
      : "The inputs contain no torch.compile log. Record one with `eaves compile -- python train.py`, or set `TORCH_TRACE=DIR`.",
  Component: Compile,
};
