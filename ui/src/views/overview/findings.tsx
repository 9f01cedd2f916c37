// What to do, the largest gain first.

import { command } from "../../kit/export";
import { Empty, Panel } from "../../kit/panel";
import { FindingItem } from "../../kit/section";
import type { Document, Finding, Section } from "../../source/document";
import { view } from "../../state";
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

export function Findings({ document }: { document: Document }) {
  const found = ranked(document);
  return (
    <Panel title="What to do" note={found.length ? "Sorted by possible gain." : undefined} exports={{ name: "findings", json: () => found.map((one) => ({ section: one.section.id, ...one.finding })), command: command(document) }}>
      {found.length === 0 ? (
        <Empty>No findings: no analysis found time to gain. The other views show where the time goes.</Empty>
      ) : (
        <ol class="findings numbered">
          {found.map(({ finding, section }, at) => {
            const home = VIEWS.find((one) => one.id === section.view);
            return <FindingItem key={at} finding={finding} section={section} place={home && { title: home.title, open: () => void (view.value = home.id) }} />;
          })}
        </ol>
      )}
    </Panel>
  );
}
