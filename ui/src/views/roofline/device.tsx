// Another device for the same points: a server has all of them, a file the one it was made with.

import { useEffect, useState } from "preact/hooks";
import type { Source } from "../../source";
import { type Document, rows } from "../../source/document";
import { partOf } from "../../filtered";
import { run } from "../../source/http";
import { askOnce } from "../bench/hooks";
import { keep } from "./choices";

/** Devices of the server: key and name. None without a server. */
export function useDevices(source: Source): { id: string; name: string }[] {
  const [found, setFound] = useState<{ id: string; name: string }[]>([]);
  useEffect(() => {
    if (!source.live) return;
    askOnce<Document>(source, "devices")
      .then((answer) => setFound(rows(answer, "devices", "devices").map((row) => ({ id: String(row.id ?? ""), name: String(row.full_name ?? row.id ?? "") }))))
      // Without the list there is the device of the document.
      .catch(() => setFound([]));
  }, [source]);
  return found;
}

/** The document of this run held against another device; the one given without a choice, or while it is fetched. */
export function useOtherDevice(source: Source, document: Document, device: string): { document: Document; state: string | null } {
  const [other, setOther] = useState<{ device: string; document: Document } | null>(null);
  const [state, setState] = useState<string | null>(null);
  const part = partOf("time and rank");
  const isPart = part.time !== undefined || part.rank !== undefined;
  useEffect(() => {
    if (!device || !source.live) {
      setState(null);
      return;
    }
    let wanted = true;
    setState("computing…");
    const answer = isPart
      ? source.ask<Document>("verbs/roofline", { inputs: [`run:${run()}`], device, ...part })
      : source.ask<Document>(`runs/${encodeURIComponent(run())}/roofline?device=${encodeURIComponent(device)}`);
    answer
      .then((answer) => {
        if (!wanted) return;
        setOther({ device, document: answer });
        setState(null);
      })
      .catch((error: unknown) => {
        if (wanted) setState(error instanceof Error ? error.message : String(error));
      });
    return () => {
      wanted = false;
    };
  }, [source, document, device, JSON.stringify(part)]);
  return { document: device && other?.device === device ? other.document : document, state };
}

export function DevicePicker({ source, own, device, custom, state }: { source: Source; own: string; device: string; custom: boolean; state: string | null }) {
  const devices = useDevices(source);
  return (
    <label class="device">
      <span class="quiet">Device</span>
      {source.live && devices.length ? (
        <select value={device} onChange={(event) => keep("device", event.currentTarget.value || null)} aria-label="Device">
          <option value="">{own || "of the document"}</option>
          {devices.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
      ) : (
        <button type="button" class="link" title="Peaks and bandwidths can be changed under Adjust; other devices need a server: `eaves open FILE`" onClick={() => keep("side", "adjust")}>
          {own || "not named"}
        </button>
      )}
      {custom ? <b class="warning-text"> with custom numbers</b> : null}
      {state ? <span class="quiet"> {state}</span> : null}
    </label>
  );
}
