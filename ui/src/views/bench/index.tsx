// The bench: kernels, transformers and formats, predicted for a device and measured here.

import { set, setting } from "../../state";
import type { Props, View } from "..";
import { Formats } from "./formats";
import { ImportPanel } from "./import-panel";
import { Kernel } from "./kernel";
import { Transformer } from "./transformer";
import "./bench.css";

const TABS = [
  ["kernel", "Kernel"],
  ["transformer", "Transformer"],
  ["formats", "Formats"],
  ["import", "Import"],
] as const;

function Bench({ source, document }: Props) {
  const open = TABS.find(([id]) => id === setting("bench.tab"))?.[0] ?? "kernel";
  return (
    <div class="bench">
      <div class="sub-tabs" role="tablist" aria-label="Parts of the bench">
        {TABS.map(([id, title]) => (
          <button type="button" role="tab" key={id} aria-selected={id === open} onClick={() => set("bench.tab", id === "kernel" ? null : id)}>
            {title}
          </button>
        ))}
      </div>
      {open === "transformer" ? <Transformer source={source} /> : null}
      {open === "formats" ? <Formats source={source} /> : null}
      {open === "import" ? <ImportPanel /> : null}
      {open === "kernel" || open === "import" ? <Kernel source={source} document={document} /> : null}
    </div>
  );
}

export const bench: View = { id: "bench", title: "Bench", needsNoRun: true, Component: Bench };
