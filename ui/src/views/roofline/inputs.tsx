// Documents of several inputs, each held against a device of its own.

import type { Document } from "../../source/document";
import { keep } from "./choices";

/** Inputs that were held against devices of their own are sections of one document: one of them first. */
export function only(document: Document, input: number): Document {
  const all = document.sections.filter((one) => one.id === "roofline");
  const chosen = all[input];
  if (all.length < 2 || !chosen) return document;
  return { ...document, sections: [chosen, ...document.sections.filter((one) => one.id !== "roofline")] };
}

export function Inputs({ document, chosen }: { document: Document; chosen: number }) {
  const all = document.sections.filter((one) => one.id === "roofline");
  if (all.length < 2) return null;
  return (
    <div class="sub-tabs" role="tablist" aria-label="Inputs">
      {all.map((section, index) => (
        <button type="button" role="tab" key={index} aria-selected={index === chosen} onClick={() => keep("input", index ? String(index) : null)}>
          {document.inputs.length === all.length ? `${document.inputs[index]?.path.split(/[\\/]/).at(-1)} · ` : `${index + 1} · `}
          {String(section.numbers.find((one) => one.id === "device")?.value ?? "")}
        </button>
      ))}
    </div>
  );
}
