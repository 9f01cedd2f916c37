// Any section of the document: its numbers, what follows from them, its tables. A new analysis appears by itself.

import { useRef } from "preact/hooks";
import { duration } from "../format";
import type { Document, Finding, Section, Table } from "../source/document";
import { rank, set, setting } from "../state";
import { Explained, showSection } from "./explain";
import { command } from "./export";
import { Numbers } from "./numbers";
import { Panel, Prose } from "./panel";
import { DataTable } from "./table";

/** How much a finding can gain, in words. */
export function gainText(finding: Finding): string | undefined {
  if (!finding.gain_ns) return undefined;
  const [low, high] = finding.gain_ns;
  const range = low === high ? duration(high) : low === 0 ? `up to ${duration(high)}` : `${duration(low)} to ${duration(high)}`;
  return `${range}${finding.gain_of === "step" ? " per step" : ""}`;
}

/** True for what two runs differ by to the worse: that was lost, and nothing is gained by knowing it. */
export function isLoss(finding: Finding): boolean {
  return finding.id === "slower";
}

/** The table that a finding names as its evidence. */
export function evidenceTable(finding: Finding, section: Section): string | undefined {
  return section.tables.map((table) => ({ id: table.id, at: finding.evidence.search(new RegExp(`\\b${table.id}\\b`)) })).filter((one) => one.at >= 0).sort((a, b) => a.at - b.at)[0]?.id;
}

const SIGNS = { critical: "▲", warning: "◆", info: "●" } as const;

/** What follows from sections; nothing if nothing does. */
export function FindingsPanel({ title, sections }: { title: string; sections: readonly (Section | undefined)[] }) {
  const found = sections.flatMap((section) => section?.findings.map((finding) => ({ finding, section })) ?? []);
  if (found.length === 0) return null;
  return (
    <Panel title={title}>
      <ol class="findings">
        {found.map(({ finding, section }, at) => (
          <FindingItem key={at} finding={finding} section={section} />
        ))}
      </ol>
    </Panel>
  );
}

export function FindingItem({ finding, section, place }: { finding: Finding; section: Section; place?: { title: string; open(): void } | undefined }) {
  const gain = gainText(finding);
  const table = evidenceTable(finding, section);
  return (
    <li class={`finding ${finding.severity}`}>
      <p class="claim">
        <Prose text={finding.claim} sentence />
      </p>
      <p class="tags">
        <span class="severity">
          <span aria-hidden="true">{SIGNS[finding.severity]}</span> {finding.severity}
        </span>
        {gain ? (
          <span class={isLoss(finding) ? "worse" : "gain"}>
            {isLoss(finding) ? "lost:" : "may gain"}{" "}
            <Explained
              about={() => ({
                title: isLoss(finding) ? "Lost time" : "Possible gain",
                text: gain,
                exact: `${finding.gain_ns?.join(" to ")} ns`,
                formula: finding.gain_basis ?? "",
                provenance: "formula",
                section: section.id,
                ...(table ? { table } : {}),
              })}
            >
              {gain}
            </Explained>
          </span>
        ) : null}
      </p>
      <dl>
        <dt>Next</dt>
        <dd>
          <Prose text={finding.next} sentence />
        </dd>
        <dt>Evidence</dt>
        <dd>
          <button type="button" class="link" onClick={() => showSection(section.id, table)}>
            {section.title}
          </button>
          {place ? (
            <>
              {" · "}
              <button type="button" class="link" onClick={place.open}>
                {place.title} view
              </button>
            </>
          ) : null}
          <span class="quiet">
            {" "}
            <Prose text={finding.evidence} />
          </span>
        </dd>
      </dl>
    </li>
  );
}

/** Tables of which one is open, chosen by tabs that the address keeps. */
export function SubTabs({ id, tabs, label }: { id: string; tabs: readonly { id: string; title: string }[]; label: string }) {
  const open = openTab(id, tabs);
  if (tabs.length < 2) return null;
  const choose = (tab: string | undefined) => set(id, tab === undefined || tab === tabs[0]?.id ? null : tab);
  const press = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by || !(event.currentTarget instanceof HTMLElement)) return;
    const at = (tabs.findIndex((tab) => tab.id === open) + by + tabs.length) % tabs.length;
    choose(tabs[at]?.id);
    event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")[at]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="sub-tabs" role="tablist" aria-label={label} onKeyDown={press}>
      {tabs.map((tab) => (
        <button type="button" role="tab" key={tab.id} aria-selected={tab.id === open} tabIndex={tab.id === open ? 0 : -1} onClick={() => choose(tab.id)}>
          {tab.title}
        </button>
      ))}
    </div>
  );
}

/** The id of the tab that is open among those that there are. */
export function openTab(id: string, tabs: readonly { id: string }[]): string | undefined {
  const wanted = setting(id);
  return (tabs.find((tab) => tab.id === wanted) ?? tabs[0])?.id;
}

interface TableProps {
  document: Document;
  section: Section;
  table: Table;
  rows?: number;
  sort?: string;
  columns?: readonly string[] | undefined;
  title?: string;
}

/** A table in a panel of its own, with its export. */
export function TablePanel({ document, section, table, rows, sort, columns, title }: TableProps) {
  const id = `${section.id}.${table.id}`;
  return (
    <Panel
      title={title ?? table.title ?? table.id}
      exports={{
        name: `${section.id}-${table.id}`,
        table: () => table,
        command: command(document, undefined, `--section ${section.id} --csv`),
      }}
    >
      <DataTable id={id} section={section} table={table} columns={columns} {...(rows ? { rows } : {})} {...(sort ? { sort } : {})} />
    </Panel>
  );
}

/** A whole section. */
export function SectionView({ document, section, only }: { document: Document; section: Section; only?: string | undefined }) {
  const first = useRef<HTMLDivElement>(null);
  void rank.value;
  const tables = only ? section.tables.toSorted((a, b) => Number(b.id === only) - Number(a.id === only)) : section.tables;
  return (
    <div class="section-view" ref={first}>
      {section.numbers.length || section.findings.length ? (
        <Panel
          title={section.title}
          exports={{ name: section.id, json: () => section, command: command(document, undefined, `--section ${section.id}`) }}
        >
          <Numbers section={section} />
          {section.findings.length ? (
            <ol class="findings">
              {section.findings.map((finding, at) => (
                <FindingItem key={at} finding={finding} section={section} />
              ))}
            </ol>
          ) : null}
        </Panel>
      ) : null}
      {tables.map((table) => (
        <TablePanel key={table.id} document={document} section={section} table={table} rows={tables.length > 2 ? 12 : 18} />
      ))}
    </div>
  );
}
