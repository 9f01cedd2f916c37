// The slices of a source, read once: going to another view and back must not read them again.

import type { Source } from "../../source";
import { type Data, decode } from "./data";

const read = new WeakMap<Source, Map<string, Promise<Data | null>>>();

/** Those of the run that is shown, or of another run of the server; of a file, those that are compared with, too. */
export function load(source: Source, of?: string): Promise<Data | null> {
  const known = read.get(source) ?? new Map<string, Promise<Data | null>>();
  read.set(source, known);
  const found = known.get(of ?? "") ?? source.part(source.live || of === undefined ? "timeline" : "base-timeline", {}, of).then((bytes) => (bytes ? decode(bytes) : null));
  known.set(of ?? "", found);
  return found;
}
