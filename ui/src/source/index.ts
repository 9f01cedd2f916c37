// Where the page has its data from: a server that answers, or the file it is in itself.

import type { Document } from "./document";
import { httpSource } from "./http";
import { emptySource, inlineSource } from "./inline";
import type { Reviver } from "./integers";

/** Parts of a run beside its document, fetched when a view wants them. Their formats: docs/page.md. */
export type Part = "timeline" | "flame" | "base-timeline";

/** What a server tells without being asked. */
export interface Message {
  kind: "run" | "config" | "ops" | "live" | "progress";
  data: unknown;
}

export interface Source {
  /** True if a server answers: what must be computed or run is possible then. */
  readonly live: boolean;
  /** The report of a run, with every section that there is. */
  document(): Promise<Document>;
  /** Whether there is a part, where that is known without asking. */
  has?(name: Part): boolean;
  /** A part as bytes, or null if this source has none of it; of another run of the server if one is named. */
  part(name: Part, query?: Record<string, string>, of?: string): Promise<ArrayBuffer | null>;
  /** Asks the server; rejects with the server's own words, or with a hint if there is no server. `revive` is that of `JSON.parse`. */
  ask<Answer>(path: string, body?: unknown, method?: string, revive?: Reviver): Promise<Answer>;
  /** Listens to events of the server at a path below `/api/v1/`; returns how to stop. */
  listen(path: string, hear: (message: Message) => void): () => void;
}

/** The data inside this page if there is any, else the server the page came from; a file came from none. */
export function findSource(): Source {
  return inlineSource() ?? (location.protocol === "file:" ? emptySource() : httpSource());
}
