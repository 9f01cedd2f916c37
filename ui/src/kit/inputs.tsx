// Documents of several inputs, each held against a device of its own: sections of one name, of which one is looked at.

import type { Document, Section } from "../source/document";
import { set, setting } from "../state";

/** The sections of a name. */
export function all(document: Document, id: string): Section[] {
  return document.sections.filter((one) => one.id === id);
}

/** The place of the input that is looked at. Views share it, so that messages are those of the kernels before. */
export function chosenInput(): number {
  return Math.max(0, Number.parseInt(setting("input", "0"), 10) || 0);
}

/** The document with one of the sections of a name; as it is if there are no others. */
export function only(document: Document, id: string, input: number): Document {
  const found = all(document, id);
  const chosen = found[input] ?? found[0];
  if (found.length < 2 || !chosen) return document;
  return { ...document, sections: [chosen, ...document.sections.filter((one) => one.id !== id)] };
}

/** What an input is called: its file and its device. */
export function label(section: Section): string {
  const said = (id: string) => section.numbers.find((one) => one.id === id)?.value;
  const file = typeof said("input") === "string" ? String(said("input")).split(/[\\/]/).at(-1) : undefined;
  return [file, said("device")].filter(Boolean).join(" · ");
}

/** The inputs to choose from; nothing if there is one. `beside` is where all of them can be seen at once. */
export function Inputs({ document, id, beside }: { document: Document; id: string; beside?: { isOn: boolean; turn(on: boolean): void } }) {
  const found = all(document, id);
  if (found.length < 2) return null;
  const chosen = Math.min(chosenInput(), found.length - 1);
  const isAll = beside?.isOn ?? false;
  return (
    <div class="inputs-row">
      <div class="sub-tabs" role="tablist" aria-label="Inputs">
        {found.map((section, index) => (
          <button
            type="button"
            role="tab"
            key={index}
            aria-selected={!isAll && index === chosen}
            onClick={() => {
              set("input", index ? String(index) : null);
              beside?.turn(false);
            }}
          >
            {label(section) || String(index + 1)}
          </button>
        ))}
      </div>
      {beside ? (
        <button type="button" class="button" aria-pressed={isAll} onClick={() => beside.turn(!isAll)}>
          Side by side
        </button>
      ) : null}
    </div>
  );
}
