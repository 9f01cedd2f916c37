// What was in use at the peak, and how that differs from another peak.

import { useMemo } from "preact/hooks";
import { command } from "../../kit/export";
import { Panel } from "../../kit/panel";
import { openTab, SubTabs } from "../../kit/section";
import { DataTable } from "../../kit/table";
import { useOtherRuns, useRunDocument } from "../../other-run";
import type { Source } from "../../source";
import { type Document, type Section, section } from "../../source/document";
import { set, setting } from "../../state";
import { type Device, devices, keyOf, nameOf, tableOf } from "./data";
import { difference, sameDevice, told } from "./peaks";

/** From the most to the least telling. Single blocks of two recordings have nothing in common. */
const AT_PEAK = [
  { id: "at_peak_by_stack", title: "By line" },
  { id: "at_peak_by_module", title: "By module" },
  { id: "at_peak_by_category", title: "By category" },
  { id: "at_peak", title: "By operator" },
  { id: "at_peak_by_size", title: "By size" },
  { id: "largest_at_peak", title: "Largest blocks" },
] as const;

interface Props {
  source: Source;
  document: Document;
  found: Section;
  device: Device;
}

interface Other {
  name: string;
  found: Section;
  device: Device;
}

/** The peak that is compared with: of a device of this document (`0 cuda:0`), or of a run of the server (`run 3`). */
function useOther({ source, document, found, device }: Props): { wanted: string; other: Other | null; choices: { id: string; title: string }[] } {
  const wanted = setting("memory.with");
  const all = useMemo(() => devices(document), [document]);
  const others = useOtherRuns(source);
  const there = useRunDocument(source, wanted);
  const choices = [
    ...all.filter((one) => keyOf(one) !== keyOf(device)).map((one) => ({ id: keyOf(one), title: nameOf(one, all) })),
    ...others,
  ];
  const title = choices.find((one) => one.id === wanted)?.title;
  if (title === undefined) return { wanted: "", other: null, choices };
  const here = all.find((one) => keyOf(one) === wanted);
  if (here) return { wanted, other: { name: title, found, device: here }, choices };
  const theirs = there && section(there, "memory");
  const same = there && sameDevice(there, device);
  return { wanted, other: theirs && same ? { name: title, found: theirs, device: same } : null, choices };
}

export function AtPeak(props: Props) {
  const { document, found, device } = props;
  const { wanted, other, choices } = useOther(props);
  const tabs = AT_PEAK.filter((one) => (tableOf(found, one.id, device) || (other && tableOf(other.found, one.id, other.device))) && !(other && one.id === "largest_at_peak"));
  const open = openTab("memory.peak", tabs);
  if (!open) return null;
  const own = tableOf(found, open, device);
  const compared = other && difference(tableOf(other.found, open, other.device), own);
  const table = compared?.table ?? own;
  if (!table) return null;
  const choice = choices.length ? (
    <label class="quiet">
      Compare with{" "}
      <select value={wanted} onChange={(event) => set("memory.with", event.currentTarget.value || null)}>
        <option value="">no other peak</option>
        {choices.map((one) => (
          <option key={one.id} value={one.id}>
            {one.title}
          </option>
        ))}
      </select>
    </label>
  ) : null;
  const note = compared && other ? told(compared.sums, other.name) : table.title;
  return (
    <Panel title="In use at the peak" note={note} tools={choice} exports={{ name: `memory-${table.id}`, table: () => table, command: command(document, "memory") }}>
      <SubTabs id="memory.peak" tabs={tabs} label="In use at the peak" />
      <DataTable table={table} section={found} id={`memory.${table.id}`} rows={12} {...(compared ? {} : { sort: "-bytes" })} />
    </Panel>
  );
}
