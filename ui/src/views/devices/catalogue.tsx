// The devices that the server knows, and some of them side by side.

import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Empty, Panel } from "../../kit/panel";
import { TablePanel } from "../../kit/section";
import { DataTable } from "../../kit/table";
import type { Source } from "../../source";
import { type Document, section } from "../../source/document";
import { set, setting } from "../../state";
import { beside } from "./side-by-side";

const catalogue = signal<Document | null>(null);
const details = signal<Readonly<Record<string, Document>>>({});
const problem = signal<string | null>(null);

const MOST = 6;

function tell(error: unknown): void {
  problem.value = error instanceof Error ? error.message : String(error);
}

export function Catalogue({ source }: { source: Source }) {
  useEffect(() => {
    source.ask<Document>("devices").then((found) => (catalogue.value = found)).catch(tell);
  }, [source]);
  const chosen = setting("devices.compare").split(",").filter(Boolean).slice(0, MOST);
  useEffect(() => {
    for (const id of chosen) {
      if (details.value[id]) continue;
      source
        .ask<Document>(`devices/${encodeURIComponent(id)}`)
        .then((found) => (details.value = { ...details.value, [id]: found }))
        .catch(tell);
    }
  }, [source, chosen.join()]);
  const list = catalogue.value && section(catalogue.value, "devices");
  const table = list?.tables.find((one) => one.id === "devices");
  const ids = useMemo(() => table?.rows.map((row) => String(row[table.columns.findIndex((column) => column.id === "id")])) ?? [], [table]);
  const compared = useMemo(() => beside(chosen.flatMap((id) => (details.value[id] ? [{ id, document: details.value[id] }] : []))), [chosen.join(), details.value]);
  if (problem.value) return <Empty>The catalogue of devices cannot be read: {problem.value}</Empty>;
  if (!catalogue.value || !list || !table) return <Empty>Loading the device catalog…</Empty>;
  const keep = (next: readonly string[]) => set("devices.compare", next.length ? next.join(",") : null);
  return (
    <>
      <Panel title="Side by side" note={`Up to ${MOST} devices; a column for each peak, memory and link.`} exports={compared.rows.length ? { name: "devices", table: () => compared } : undefined}>
        <div class="quick">
          <label>
            Add{" "}
            <select value="" onChange={(event) => keep([...chosen, event.currentTarget.value])} disabled={chosen.length >= MOST}>
              <option value="">choose a device</option>
              {ids
                .filter((id) => !chosen.includes(id))
                .map((id) => (
                  <option key={id} value={id}>
                    {id}
                  </option>
                ))}
            </select>
          </label>
          {chosen.map((id) => (
            <button type="button" class="button" key={id} onClick={() => keep(chosen.filter((one) => one !== id))} aria-label={`Take ${id} away`}>
              {id} ×
            </button>
          ))}
        </div>
        {compared.rows.length ? <DataTable id="devices.beside" table={compared} rows={MOST} bare /> : null}
      </Panel>
      <TablePanel document={catalogue.value} section={list} table={table} rows={16} />
    </>
  );
}
