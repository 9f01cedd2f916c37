// What can be asked about: tables with their columns, and functions.

import { Panel } from "../../kit/panel";
import type { Known } from "./answer";

/** `put` writes a word where the cursor of the question is. */
export function Tables({ known, put }: { known: Known; put(word: string): void }) {
  const entry = (word: string, name: string, type: string, about: string) => (
    <div key={name}>
      <dt>
        <button type="button" class="link" title={`Insert ${word}`} onClick={() => put(word)}>
          <code>{name}</code>
        </button>{" "}
        <small>{type}</small>
      </dt>
      <dd>{about}</dd>
    </div>
  );
  return (
    <Panel title="Tables" note="Click a name to insert it.">
      {known.tables.map((table) => (
        <details key={table.name}>
          <summary title={table.about}>
            <code>{table.name}</code> <small>{table.about}</small>
          </summary>
          <dl>{table.columns.map((column) => entry(column.name, column.name, column.type, column.about))}</dl>
        </details>
      ))}
      {known.functions?.length ? (
        <details>
          <summary>Functions</summary>
          <dl>{known.functions.map((one) => entry(one.call, one.call, "", one.about))}</dl>
        </details>
      ) : null}
    </Panel>
  );
}
