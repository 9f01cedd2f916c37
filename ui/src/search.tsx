// Names of the document, found by some letters: one of the list, or all that have the letters as they stand.

import { useMemo, useState } from "preact/hooks";
import { names } from "./commands";
import { thousands } from "./format";
import { fit } from "./kit/palette";
import type { Document } from "./source/document";
import { select } from "./state";

const MOST = 200;
const LISTED = 12;

interface Entry {
  title: string;
  hint: string;
  chosen: readonly string[];
}

/** What is offered for some letters: all names that have them first, then the best one by one. */
export function offers(known: ReadonlyMap<string, string>, text: string): Entry[] {
  if (text.trim().length < 2) return [];
  const found = [...known]
    .map(([name, of]) => ({ name, of, score: fit(name, text) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || a.name.length - b.name.length)
    .slice(0, MOST);
  const whole = found.filter((one) => one.name.toLowerCase().includes(text.toLowerCase())).map((one) => one.name);
  const all = whole.length > 1 ? [{ title: `All ${thousands(whole.length)} names with “${text}”`, hint: "", chosen: whole }] : [];
  return [...all, ...found.slice(0, LISTED).map((one) => ({ title: one.name, hint: one.of, chosen: [one.name] }))];
}

/** `slash` if that key leads here: some views have a search of their own. */
export function Search({ document, slash }: { document: Document; slash: boolean }) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const known = useMemo(() => names(document), [document]);
  const found = useMemo(() => offers(known, text), [known, text]);
  const isOpen = open && text.trim().length > 1;
  const take = (entry: Entry | undefined) => {
    if (!entry) return;
    select(entry.chosen);
    setOpen(false);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      setOpen(true);
      setAt(Math.max(0, Math.min(at + (event.key === "ArrowDown" ? 1 : -1), found.length - 1)));
    } else if (event.key === "Enter") take(found[at]);
    else if (event.key === "Escape" && isOpen) setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="search-box" role="search">
      <input
        id="search"
        class="search"
        type="text"
        role="combobox"
        placeholder={`Search names${slash ? " ( / )" : ""}`}
        aria-label="Search names"
        aria-expanded={isOpen}
        aria-controls="search-list"
        aria-activedescendant={isOpen && found.length ? `search-${at}` : undefined}
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      {isOpen ? (
        // The pointer goes down before the field loses the focus, which would close the list.
        <ul role="listbox" id="search-list" aria-label="Names found" class="search-list" onPointerDown={(event) => event.preventDefault()}>
          {found.map((entry, index) => (
            <li key={index} id={`search-${index}`} role="option" aria-selected={index === at} title={entry.title} onPointerMove={() => setAt(index)} onClick={() => take(entry)}>
              <span>{entry.title}</span>
              <span class="quiet">{entry.hint}</span>
            </li>
          ))}
          {found.length ? null : (
            <li role="option" aria-selected={false} aria-disabled="true" class="quiet">
              No name has these letters
            </li>
          )}
        </ul>
      ) : null}
    </div>
  );
}
