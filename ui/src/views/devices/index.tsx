// The roofs that points are held against, with where they come from; with a server, every device that is known.

import type { Props, View } from "..";
import { Numbers } from "../../kit/numbers";
import { Empty } from "../../kit/panel";
import { TablePanel } from "../../kit/section";
import { section } from "../../source/document";
import { Catalogue } from "./catalogue";
import { withUnits } from "./roofs";

const TABLES = [["roofline", "roofs"], ["comm-roofline", "links"], ["devices", "properties"], ["devices", "peaks"], ["devices", "memory"], ["devices", "links"], ["devices", "sources"], ["devices", "devices"]] as const;

function Devices({ source, document }: Props) {
  const roofline = section(document, "roofline");
  const found = TABLES.flatMap(([id, name]) => {
    const one = section(document, id);
    const table = one?.tables.find((each) => each.id === name);
    return one && table ? [{ section: one, table: name === "roofs" ? withUnits(table) : table }] : [];
  });
  return (
    <>
      {roofline ? <Numbers section={roofline} ids={["device", "assessed_pct", "above_roof"]} /> : null}
      {found.map(({ section: one, table }) => (
        <TablePanel key={`${one.id}/${table.id}`} document={document} section={one} table={table} rows={14} />
      ))}
      {source.live ? <Catalogue source={source} /> : found.length ? <Empty>`eaves open FILE` lists and compares all known devices.</Empty> : null}
    </>
  );
}

export const devices: View = {
  id: "devices",
  title: "Devices",
  needsNoRun: true,
  missing: ({ source, document }) =>
    source.live || TABLES.some(([id, name]) => section(document, id)?.tables.some((table) => table.id === name))
      ? undefined
      : "The document names no device. `eaves roofline TRACE --device h100-sxm` compares kernels with one; `eaves device list` lists all.",
  Component: Devices,
};
