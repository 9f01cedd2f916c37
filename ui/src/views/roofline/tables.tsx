// The tables behind the chart, with what was changed in them.

import { thousands } from "../../format";
import { Panel } from "../../kit/panel";
import { DataTable } from "../../kit/table";
import type { Section, Table } from "../../source/document";
import { settings } from "../../state";
import { keep } from "./choices";
import type { Data } from "./data";

/** The table of points with what was changed in the place of what the document says. */
function pointsTable(section: Section, data: Data, shown: readonly number[]): Table {
  const table = section.tables.find((one) => one.id === "points") ?? { id: "points", columns: [], rows: [] };
  const at = (id: string): number => table.columns.findIndex((column) => column.id === id);
  const places = { roof_gflops: at("roof_gflops"), pct_of_roof: at("pct_of_roof"), class: at("class"), bound_by: at("bound_by"), headroom_ns: at("headroom_ns"), status: at("status"), flag: at("flag"), delta: at("delta_log10_oi_to_knee") };
  const rows = [...shown].flatMap((index) => {
    const row = table.rows[index];
    const point = data.points[index];
    if (!row || !point) return [];
    const next = [...row];
    const put = (place: number, value: Table["rows"][0][0]) => {
      if (place >= 0) next[place] = value;
    };
    put(places.roof_gflops, point.roof);
    put(places.pct_of_roof, point.pct);
    put(places.class, point.class);
    put(places.bound_by, point.boundBy);
    put(places.headroom_ns, point.headroom);
    put(places.status, point.status);
    put(places.flag, point.flag);
    put(places.delta, point.delta);
    return [next];
  });
  return { ...table, rows };
}

/** The rows of the points that are shown; where points are sums, of everything in them. */
export function behind(section: Section, single: Data, data: Data, shown: readonly number[]): Table {
  if (single === data) return pointsTable(section, data, shown);
  const names = new Set(shown.map((index) => data.points[index]?.name));
  return pointsTable(section, single, single.points.flatMap((point) => (names.has(point.name) ? [point.index] : [])));
}

/** Everything behind the chart. */
export function Tables({ section, points }: { section: Section; points: Table }) {
  const tables = [points, ...section.tables.filter((table) => ["by_operator", "unmodelled", "roofs"].includes(table.id) && table.rows.length > 0)];
  const open = settings.value["roofline.table"] ?? "points";
  const table = tables.find((one) => one.id === open) ?? points;
  return (
    <Panel title="Behind the chart" exports={{ name: `roofline-${table.id}`, table: () => table }}>
      <div class="sub-tabs" role="tablist" aria-label="Tables">
        {tables.map((one) => (
          <button type="button" role="tab" key={one.id} aria-selected={one === table} onClick={() => keep("table", one.id === "points" ? null : one.id)}>
            {one.title ?? one.id} <span class="quiet-count">{thousands(one.rows.length)}</span>
          </button>
        ))}
      </div>
      <DataTable table={table} section={section} id={`roofline.${table.id}`} rows={14} />
    </Panel>
  );
}
