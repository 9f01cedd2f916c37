import type { Props, View } from "..";
import { section } from "../../source/document";
import { TablePanel } from "../../kit/section";
import { Breakdown } from "./breakdown";
import { Findings } from "./findings";
import { Headlines } from "./headlines";
import { Inputs, SkippedList, WarningList } from "./notes";
import { StepStrip } from "./steps";

function Overview({ document, whole = document }: Props) {
  const types = section(document, "kernel-types");
  const causes = section(document, "idle-causes");
  const byTypes = types?.tables.find((table) => table.id === "by_types");
  const byCause = causes?.tables.find((table) => table.id === "by_cause");
  return (
    <div class="overview">
      <WarningList document={document} />
      <Headlines document={document} />
      <div class="columns uneven">
        <Findings document={document} />
        <div>
          <Breakdown document={document} />
          <StepStrip document={whole} />
          {types && byTypes ? <TablePanel document={document} section={types} table={byTypes} title="Concurrent GPU activity" rows={8} /> : null}
        </div>
      </div>
      {causes && byCause ? <TablePanel document={document} section={causes} table={byCause} title="Idle time by cause" rows={8} /> : null}
      <SkippedList document={document} />
      <Inputs document={whole} />
    </div>
  );
}

export const overview: View = { id: "overview", title: "Overview", filter: "time and rank", Component: Overview };
