// Every section as it is in the document, so that a new analysis can be seen at once.

import { useEffect } from "preact/hooks";
import type { Props, View } from ".";
import { thousands } from "../format";
import { command } from "../kit/export";
import { ExportMenu } from "../kit/export";
import { Empty } from "../kit/panel";
import { SectionView } from "../kit/section";
import { section } from "../source/document";
import { set, setting } from "../state";

function Sections({ document }: Props) {
  const wanted = setting("sections.open", document.sections[0]?.id ?? "");
  const table = setting("sections.table") || undefined;
  const open = section(document, wanted) ?? document.sections[0];
  useEffect(() => window.document.getElementById("view")?.scrollTo(0, 0), [wanted, table]);
  if (!open) return <Empty>The document has no sections.</Empty>;
  return (
    <div class="beside">
      <nav aria-label="Sections" class="section-list">
        <ul>
          {document.sections.map((one) => {
            const count = one.tables.reduce((sum, each) => sum + each.rows.length, 0);
            return (
              <li key={one.id}>
                <button
                  type="button"
                  aria-current={one === open ? "true" : undefined}
                  onClick={() => {
                    set("sections.open", one.id);
                    set("sections.table", null);
                  }}
                >
                  <span>{one.title}</span>
                  {one.findings.length ? <b title={`${one.findings.length} findings`}>{one.findings.length}</b> : null}
                  <small>{thousands(count)}</small>
                </button>
              </li>
            );
          })}
        </ul>
        <ExportMenu exports={{ name: "document", json: () => document, command: command(document, undefined, "--json") }} />
      </nav>
      <SectionView key={open.id} document={document} section={open} only={table} />
    </div>
  );
}

export const sections: View = { id: "sections", title: "All sections", filter: "time and rank", Component: Sections };
