// Documents of the program, put together as a server or a report with every analysis has them.

import { join } from "node:path";
import type { Document, Section } from "../../src/source/document";
import { ROOT, run, TRAINING } from "./harness";

const json = (...parts: string[]) => JSON.parse(run(...parts, "--json")) as Document;

function of(document: Document, ...ids: string[]): Section[] {
  return document.sections.filter((section) => ids.length === 0 || ids.includes(section.id));
}

/** The report of the example, and beside it messages against a link, a log of torch.compile and a comparison. */
export function everything(): Document {
  const report = json("report", TRAINING);
  const messages = json("roofline", TRAINING, "--device", "nvidia-a100-sxm-80", "--link", "NVLink3");
  const compiled = json("compile", join(ROOT, "crates/cli/tests/cli/compile.log"));
  return { ...report, sections: [...report.sections, ...of(messages, "comm-roofline"), ...of(compiled)] };
}

/** One rank against the other. */
export function difference(): Document {
  return json("diff", join(TRAINING, "rank0.json.gz"), join(TRAINING, "rank1.json.gz"));
}
