// What to do, the largest gain first.

import { command } from "../../kit/export";
import { Empty, Panel } from "../../kit/panel";
import { FindingItem } from "../../kit/section";
import type { Document, Finding, Section } from "../../source/document";
import { range, rank, select, view } from "../../state";
import { stepTimes } from "../../filter";
import { names } from "../../commands";
import { batch } from "@preact/signals";
import { VIEWS } from "..";

export interface Ranked {
  finding: Finding;
  section: Section;
}

/** The findings in the order of the document. Reports of older versions have none, and theirs stay by section. */
export function ranked(document: Document): Ranked[] {
  return document.sections
    .flatMap((section) => section.findings.map((finding) => ({ finding, section })))
    .sort((a, b) => (a.finding.place ?? 0) - (b.finding.place ?? 0));
}

/** Of which rank, step and names a finding speaks. */
export function meant(finding: Finding, document: Document): { rank: number | null; time: readonly [number, number] | null; names: string[] } {
  const words = `${finding.claim} ${finding.evidence}`;
  const of = /\brank (\d+)\b/.exec(words)?.[1];
  const only = of === undefined ? null : Number(of);
  const step = /\bstep (\d+)\b/.exec(words)?.[1];
  const known = names(document);
  const said = [...words.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => (name && known.has(name) ? [name] : []));
  return { rank: only, time: (step && stepTimes(document, only).get(step)) || null, names: [...new Set(said)] };
}

/** Opens a view at what a finding speaks of. */
function show(id: string, finding: Finding, document: Document): void {
  const found = meant(finding, document);
  batch(() => {
    view.value = id;
    if (found.rank !== null) rank.value = found.rank;
    if (found.time) range.value = found.time;
    if (found.names.length) select(found.names);
  });
}

export function Findings({ document }: { document: Document }) {
  const found = ranked(document);
  return (
    <Panel title="Findings" note={found.length ? "Sorted by possible gain." : undefined} exports={{ name: "findings", json: () => found.map((one) => ({ section: one.section.id, ...one.finding })), command: command(document) }}>
      {found.length === 0 ? (
        <Empty>No findings: no analysis found time to gain. The other views show where the time goes.</Empty>
      ) : (
        <ol class="findings numbered">
          {found.map(({ finding, section }, at) => {
            const home = VIEWS.find((one) => one.id === section.view);
            return <FindingItem key={at} finding={finding} section={section} place={home && { title: home.title, open: () => show(home.id, finding, document) }} />;
          })}
        </ol>
      )}
    </Panel>
  );
}
