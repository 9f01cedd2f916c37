// The slices of a source, read once.

import type { Source } from "../../source";
import { Cache } from "../../source/cache";
import { type Data, decode } from "./data";

/** The run that is shown, and some that it was compared with. */
const MOST = 4;

const read = new Cache<Data | null>(MOST);

/** Those of the run that is shown, or of another run of the server; of a file, those that are compared with, too. */
export function load(source: Source, of?: string): Promise<Data | null> {
  const part = source.live || of === undefined ? "timeline" : "base-timeline";
  return read.get(source, of ?? "", () => source.part(part, {}, of).then((bytes) => (bytes ? decode(bytes) : null)));
}
