// The slices of a source, read once: going to another view and back must not read them again.

import type { Source } from "../../source";
import { type Data, decode } from "./data";

const read = new WeakMap<Source, Promise<Data | null>>();

export function load(source: Source): Promise<Data | null> {
  let found = read.get(source);
  if (!found) {
    found = source.part("timeline").then((bytes) => (bytes ? decode(bytes) : null));
    read.set(source, found);
  }
  return found;
}
