// What ranks say to each other: how much of it is hidden, who waits for whom, and how near the links are.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Props, View } from "..";
import { duration } from "../../format";
import { aboutCell } from "../../kit/explain";
import { command } from "../../kit/export";
import { chosenInput, Inputs, only } from "../../kit/inputs";
import { Numbers } from "../../kit/numbers";
import { Empty, Panel, lacks } from "../../kit/panel";
import { FindingsPanel, openTab, SubTabs, TablePanel } from "../../kit/section";
import { Stack, type StackRow } from "../../kit/stack";
import { type Document, owner, type Section, section } from "../../source/document";
import { run } from "../../source/http";
import { rank } from "../../state";
import { Roofs } from "./roofs";

const SECTIONS = ["comm-overlap", "collectives", "stragglers", "comm-roofline"] as const;

const TABLES = [
  { id: "collectives", title: "Collectives", section: "collectives", tables: ["by_collective", "reached", "matching"] },
  { id: "skew", title: "Skew and transfer", section: "collectives", tables: ["skew"] },
  { id: "stragglers", title: "Stragglers", section: "stragglers", tables: ["by_rank", "by_step"] },
  { id: "ranks", title: "By rank", section: "collectives", tables: ["by_rank"] },
  { id: "messages", title: "Against the links", section: "comm-roofline", tables: ["events", "reached", "links"] },
] as const;

/** The document, with the messages against the links of the device: a report has none of it, a server that is asked has. */
function useLinks({ source, document }: Props): Document {
  const [found, setFound] = useState<{ of: Document; section: Section } | null>(null);
  // Without a device there are no links, and the server would only say so.
  const isAsked = source.live && !section(document, "comm-roofline") && section(document, "roofline") !== undefined;
  useEffect(() => {
    if (!isAsked) return;
    let isWanted = true;
    source
      .ask<Document>(`runs/${encodeURIComponent(run())}/roofline`)
      .then((answer) => {
        const links = section(answer, "comm-roofline");
        if (isWanted && links) setFound({ of: document, section: links });
      })
      // The view is whole without; the chart says what it lacks.
      .catch(() => {});
    return () => {
      isWanted = false;
    };
  }, [source, document, isAsked]);
  return isAsked && found?.of === document ? { ...document, sections: [...document.sections, found.section] } : document;
}

function Communication(props: Props) {
  const input = chosenInput();
  const own = useMemo(() => only(props.document, "comm-roofline", input), [props.document, input]);
  const document = useLinks({ ...props, document: own });
  const there = TABLES.filter((part) => section(document, part.section));
  const open = there.find((part) => part.id === openTab("communication.part", there));
  const found = open && section(document, open.section);
  return (
    <>
      <Inputs document={props.document} id="comm-roofline" />
      <div class="columns">
        <Split document={document} section="comm-overlap" title="Hidden behind computation" parts={[["overlapped_ns", "compute", "Hidden"], ["exposed_ns", "communication", "Exposed"]]} />
        <Split document={document} section="collectives" title="Waiting and transfer" parts={[["transfer_ns", "c1", "Transfer"], ["wait_ns", "idle", "Waiting for other ranks"]]} />
      </div>
      <Roofs document={document} />
      <FindingsPanel title="Findings" sections={SECTIONS.map((id) => section(document, id))} />
      <SubTabs id="communication.part" tabs={there} label="Tables of communication" />
      {found ? <Numbers section={found} /> : null}
      {found && open
        ? open.tables.map((id) => {
            const table = found.tables.find((one) => one.id === id);
            return table ? <TablePanel key={id} document={document} section={found} table={table} rows={12} /> : null;
          })
        : null}
    </>
  );
}

interface SplitProps {
  document: Document;
  section: string;
  title: string;
  parts: readonly (readonly [column: string, part: string, label: string])[];
}

/** The communication of each rank in two parts, all bars on one scale. */
function Split({ document, section: id, title, parts }: SplitProps) {
  const drawing = useRef<SVGSVGElement>(null);
  const found = section(document, id);
  const table = found?.tables.find((one) => one.id === "by_rank");
  if (!found || !table) return null;
  const at = (column: string) => table.columns.findIndex((one) => one.id === column);
  const only = rank.value;
  const bars: StackRow[] = table.rows
    .filter((row) => only === null || row[at("rank")] === only)
    .map((row) => ({
      label: owner({ index: 0, rank: row[at("rank")] ?? null, input: row[at("input")] ?? null }),
      parts: parts.map(([column, part, label]) => {
        const value = Number(row[at(column)] ?? 0);
        return { part, label, value, text: duration(value), about: () => aboutCell(table, row, at(column), found) };
      }),
    }));
  const missing = parts.map(([column]) => table.missing?.[column]).find(Boolean);
  if (table.rows.every((row) => parts.every(([column]) => typeof row[at(column)] !== "number"))) {
    return (
      <Panel title={title}>
        <Empty>{missing ? `Not known: ${missing}.` : "Not known."}</Empty>
      </Panel>
    );
  }
  const whole = Math.max(1, ...bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0)));
  return (
    <Panel title={title} note={`${found.title}: one scale, the longest bar is ${duration(whole)}.`} exports={{ name: id, svg: () => drawing.current, table: () => table, command: command(document, undefined, `--section ${id}`) }}>
      <Stack rows={bars} label={title} drawing={drawing} whole={whole} own />
    </Panel>
  );
}

export const communication: View = {
  id: "communication",
  title: "Communication",
  filter: "time",
  missing({ document }) {
    if (SECTIONS.some((id) => section(document, id))) return undefined;
    const why = document.skipped.find((one) => (SECTIONS as readonly string[]).includes(one.id));
    return why ? lacks(why) : "No communication recorded. Open the traces of all ranks to see collectives: `eaves open traces/`.";
  },
  Component: Communication,
};
