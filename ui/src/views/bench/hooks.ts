// What a server tells once: devices, formats, presets, the roofs of a device.

import { useEffect, useState } from "preact/hooks";
import type { Source } from "../../source";
import type { Document } from "../../source/document";
import type { Format, Presets } from "./requests";
import { NO_ROOFS, type Roofs, roofsOf } from "./roofs";

export type Asked<Answer> = { answer: Answer | null; problem: string | null };

const kept = new WeakMap<Source, Map<string, Promise<unknown>>>();

/** Asks once for each source and path; a failed answer is asked for again. */
export function askOnce<Answer>(source: Source, path: string): Promise<Answer> {
  let paths = kept.get(source);
  if (!paths) kept.set(source, (paths = new Map()));
  let found = paths.get(path) as Promise<Answer> | undefined;
  if (!found) {
    found = source.ask<Answer>(path);
    paths.set(path, found);
    found.catch(() => paths.delete(path));
  }
  return found;
}

function useAnswer<Answer>(source: Source, path: string): Asked<Answer> {
  const [asked, setAsked] = useState<Asked<Answer>>({ answer: null, problem: null });
  useEffect(() => {
    if (!source.live || !path) return;
    let wanted = true;
    askOnce<Answer>(source, path).then(
      (answer) => wanted && setAsked({ answer, problem: null }),
      (error: unknown) => wanted && setAsked({ answer: null, problem: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      wanted = false;
    };
  }, [source, path]);
  return asked;
}

export function usePresets(source: Source): Asked<Presets> {
  return useAnswer<Presets>(source, "presets");
}

export function useFormats(source: Source): Asked<Format[]> {
  return useAnswer<Format[]>(source, "precisions");
}

/** The roofs of a device by its key. */
export function useRoofs(source: Source, device: string): Roofs {
  const { answer } = useAnswer<Document>(source, device ? `devices/${encodeURIComponent(device)}` : "");
  const [roofs, setRoofs] = useState<Roofs>(NO_ROOFS);
  useEffect(() => {
    if (answer) setRoofs(roofsOf(answer));
  }, [answer]);
  return roofs;
}
