// A part of a view with a heading, the menu to take it away, and words about what it shows.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Skipped } from "../source/document";
import { type Exports, ExportMenu } from "./export";

interface Props {
  title: ComponentChildren;
  /** What it shows and what is left out, in a line. */
  note?: ComponentChildren;
  /** Buttons and switches of the part. */
  tools?: ComponentChildren;
  exports?: Exports | undefined;
  /** Takes all the height there is; what is inside scrolls. */
  fill?: boolean;
  class?: string;
  children: ComponentChildren;
}

export function Panel({ title, note, tools, exports, fill, class: name, children }: Props) {
  const heading = useId();
  return (
    <section class={`panel${fill ? " fill" : ""}${name ? ` ${name}` : ""}`} aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        <div class="tools">
          {tools}
          {exports ? <ExportMenu exports={typeof title === "string" && exports.svg && !exports.caption ? { ...exports, caption: () => ({ title }) } : exports} /> : null}
        </div>
      </header>
      {note ? <p class="note">{typeof note === "string" ? <Prose text={note} /> : note}</p> : null}
      {children}
    </section>
  );
}

/** Says that there is nothing, why, and what to do. */
export function Empty({ children }: { children: ComponentChildren }) {
  return (
    <p class="empty" role="note">
      {typeof children === "string" ? <Prose text={children} /> : children}
    </p>
  );
}

const begun = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Why a view is empty, in sentences. */
export function lacks({ missing, how_to_record: how }: Skipped): string {
  return `Not available in this recording: ${missing}. ${begun(how)}.`.replace(/\.\.$/, ".");
}

/** Text of findings and hints: what stands in backticks is code. A sentence begins with a large letter, unless it begins with a name. */
export function Prose({ text, sentence = false }: { text: string; sentence?: boolean }) {
  const whole = sentence && /^[a-z][a-z-]*[ ,:;]/.test(text) ? begun(text) : text;
  return <>{whole.split("`").map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}
