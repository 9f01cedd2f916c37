// Every view of the page: one file or folder and one line each.

import type { ComponentType } from "preact";
import type { Document } from "../source/document";
import type { Source } from "../source";
import { overview } from "./overview";
import { bench } from "./bench";
import { roofline } from "./roofline";

/** What a view is given. */
export interface Props {
  source: Source;
  document: Document;
}

export interface View {
  /** As in the address. */
  id: string;
  title: string;
  /** Why there is nothing to see, in words that tell how to get it; undefined if there is. */
  missing?(props: Props): string | undefined;
  Component: ComponentType<Props>;
}

/** In the order of the tabs. */
export const VIEWS: readonly View[] = [overview, roofline, bench];
