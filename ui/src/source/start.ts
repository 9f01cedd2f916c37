// The document of a server without runs.

import type { Document } from "./document";

/** Shown until a run is open. */
export const START: Document = { schema: "eaves.start/1", tool: { name: "eaves", version: "" }, inputs: [], warnings: [], skipped: [], sections: [] };
