// What to do, the largest gain first.

import { command } from "../../kit/export";
import { Empty, Panel } from "../../kit/panel";
import { FindingItem } from "../../kit/section";
import type { Document, Finding, Section } from "../../source/document";
import { view } from "../../state";
import { VIEWS } from "..";

/** The view that shows what a section is about. */
const HOMES: Readonly<Record<string, string>> = {
  kernels: "kernels", "call-tree": "kernels", "launch-stats": "timeline", "idle-causes": "timeline", "idle-time": "timeline",
  "critical-path": "timeline", collectives: "communication", stragglers: "communication", "comm-overlap": "communication",
  "comm-roofline": "communication", roofline: "roofline", memory: "memory", "graph-breaks": "compile", recompiles: "compile",
  "compile-time": "compile", fusion: "compile", diff: "compare",
};

const WEIGHT = { critical: 2, warning: 1, info: 0 } as const;

export interface Ranked {
  finding: Finding;
  section: Section;
  /** What it gains at most in all that was recorded; null if nobody knows. */
  gain: number | null;
}

/** The findings with the largest gain first. A gain of each step counts as often as there were steps. */
export function ranked(document: Document): Ranked[] {
  const steps = Math.max(1, ...document.sections.filter((one) => one.id === "steps").flatMap((one) => one.numbers.filter((number) => number.id === "steps").map((number) => Number(number.value) || 0)));
  return document.sections
    .flatMap((section) =>
      section.findings.map((finding) => ({
        finding,
        section,
        gain: finding.gain_ns ? finding.gain_ns[1] * (finding.gain_of === "step" ? steps : 1) : null,
      })),
    )
    .sort((a, b) => (b.gain ?? -1) - (a.gain ?? -1) || WEIGHT[b.finding.severity] - WEIGHT[a.finding.severity]);
}

export function Findings({ document }: { document: Document }) {
  const found = ranked(document);
  return (
    <Panel title="What to do" note={found.length ? "The largest gain first." : undefined} exports={{ name: "findings", json: () => found.map((one) => ({ section: one.section.id, ...one.finding })), command: command(document) }}>
      {found.length === 0 ? (
        <Empty>Nothing stands out: no analysis found time to gain. The other views show where the time goes.</Empty>
      ) : (
        <ol class="findings numbered">
          {found.map(({ finding, section }, at) => {
            const home = VIEWS.find((one) => one.id === HOMES[section.id]);
            return <FindingItem key={at} finding={finding} section={section} place={home && { title: home.title, open: () => void (view.value = home.id) }} />;
          })}
        </ol>
      )}
    </Panel>
  );
}
