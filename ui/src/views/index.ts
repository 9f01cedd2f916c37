// Every view of the page: one file or folder and one line each.

import type { ComponentType } from "preact";
import type { Document } from "../source/document";
import type { Source } from "../source";
import { START } from "../source/start";
import { bench } from "./bench";
import { communication } from "./communication";
import { compare } from "./compare";
import { compile } from "./compile";
import { devices } from "./devices";
import { flame } from "./flame";
import { kernels } from "./kernels";
import { live } from "./live";
import { memory } from "./memory";
import { open } from "./open";
import { overview } from "./overview";
import { query } from "./query";
import { roofline } from "./roofline";
import { sections } from "./sections";
import { timeline } from "./timeline";

/** What a view is given. */
export interface Props {
  source: Source;
  document: Document;
  /** That of the whole recording, where `document` is of a part. */
  whole?: Document;
}

export interface View {
  /** As in the address. */
  id: string;
  title: string;
  /** Why there is nothing to see, in words that tell how to get it; undefined if there is. */
  missing?(props: Props): string | undefined;
  /** Which part of the selection its numbers are of: it looks after that itself, or the report of that part is asked for. Without, of none. */
  filter?: "itself" | "time" | "time and rank";
  /** True if there is something to see or do before a run is open. */
  needsNoRun?: true;
  Component: ComponentType<Props>;
  /** In place of the words about what is missing, where something can be done about it here. */
  Missing?: ComponentType<Props & { missing: string }>;
}

/** The views that have a tab: without a run, those that need none; a file that another verb than `report` wrote is about one thing, and has nothing for most. */
export function tabs(props: Props): readonly View[] {
  if (props.document.schema === START.schema) return VIEWS.filter((one) => one.needsNoRun);
  if (props.source.live) return VIEWS;
  // A file opens no others.
  if (props.document.schema.startsWith("eaves.report/")) return VIEWS.filter((one) => one !== open);
  return VIEWS.filter((one) => (one.missing ? one.missing(props) === undefined : one === sections));
}

/** In the order of the tabs: what a run shows, what two do, and what needs none. */
export const VIEWS: readonly View[] = [
  overview,
  roofline,
  timeline,
  flame,
  kernels,
  memory,
  communication,
  compile,
  sections,
  query,
  compare,
  devices,
  bench,
  live,
  open,
];

/** The first view of each group but the first: a line stands before its tab. */
export const FIRST: ReadonlySet<View> = new Set([compare, devices]);
