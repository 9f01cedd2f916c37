// Documents of sections, as tests of views make them.

import type { Document, Section } from "../../src/source/document";

/** A document with these sections and nothing besides. */
export function documentWith(sections: Section[], schema = "eaves.report/1"): Document {
  return { schema, tool: { name: "eaves", version: "0" }, inputs: [], warnings: [], skipped: [], sections };
}
