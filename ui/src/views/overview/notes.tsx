// What was read, what was odd about it, and what could not be told.

import { bytes, counted, thousands } from "../../format";
import { Panel, Prose } from "../../kit/panel";
import type { Document, Skipped } from "../../source/document";

export function WarningList({ document }: { document: Document }) {
  if (document.warnings.length === 0) return null;
  return (
    <Panel title={counted(document.warnings.length, "warning")} class="warnings" exports={{ name: "warnings", json: () => document.warnings }}>
      <ul class="notes">
        {document.warnings.slice(0, 20).map((warning, at) => (
          <li key={at}>
            <span class={`label ${warning.harmless ? "info" : "warning"}`}>{warning.harmless ? "harmless" : "warning"}</span>
            {warning.count > 1 ? <b>{thousands(warning.count)} × </b> : null}
            <Prose text={warning.message} />
            {warning.path ? <code class="quiet"> {warning.path}</code> : null}
          </li>
        ))}
      </ul>
      {document.warnings.length > 20 ? <p class="note">20 of {thousands(document.warnings.length)}; the JSON has all.</p> : null}
    </Panel>
  );
}

/** What lacks the same is told once. */
function alike(skipped: readonly Skipped[]): [Skipped, string[]][] {
  const groups = new Map<string, [Skipped, string[]]>();
  for (const one of skipped) {
    const key = `${one.missing}\n${one.how_to_record}`;
    const group = groups.get(key);
    if (group) group[1].push(one.id);
    else groups.set(key, [one, [one.id]]);
  }
  return [...groups.values()];
}

export function SkippedList({ document }: { document: Document }) {
  if (document.skipped.length === 0) return null;
  return (
    <Panel title="Not in this recording" exports={{ name: "skipped", json: () => document.skipped }}>
      <ul class="notes">
        {alike(document.skipped).map(([one, ids]) => (
          <li key={ids[0]}>
            <b>{ids.join(", ")}</b>: <Prose text={one.missing} />
            <p class="quiet">
              <Prose text={one.how_to_record} sentence />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const MOST = 64;

export function Inputs({ document }: { document: Document }) {
  if (document.inputs.length === 0) return null;
  return (
    <Panel title={counted(document.inputs.length, "input")} exports={{ name: "inputs", json: () => document.inputs }}>
      <ul class="inputs">
        {document.inputs.slice(0, MOST).map((input, at) => (
          <li key={at}>
            <code>{input.path}</code>
            <span class="quiet">
              {[input.role, typeof input.rank === "number" ? `rank ${input.rank}` : "", input.format, input.events === undefined ? "" : counted(input.events, "event"), input.bytes === undefined ? "" : bytes(input.bytes)].filter(Boolean).join(" · ")}
            </span>
          </li>
        ))}
      </ul>
      <p class="note">
        {document.inputs.length > MOST ? `${MOST} of ${document.inputs.length}. ` : ""}Made by {document.tool.name} {document.tool.version}, {document.schema}.
      </p>
    </Panel>
  );
}
