// Everything that can be done, found by a few letters of it.

import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { layOver } from "./keys";

export interface Command {
  title: string;
  /** What kind of thing it is. */
  hint: string;
  run(): void;
}

const added = signal<readonly Command[]>([]);
const open = signal<string | null>(null);

export function openPalette(text = ""): void {
  open.value = text;
}

function closePalette(): void {
  open.value = null;
}

/** Adds commands of a view while it is on the page. */
export function useCommands(make: () => readonly Command[], inputs: readonly unknown[] = []): void {
  useEffect(() => {
    const commands = make();
    added.value = [...added.value, ...commands];
    return () => {
      added.value = added.value.filter((command) => !commands.includes(command));
    };
  }, [...inputs]);
}

/** How well letters fit a title: all in order, the better the closer they stand and the earlier they begin. 0 is not at all. */
export function fit(title: string, letters: string): number {
  const text = title.toLowerCase();
  const wanted = letters.toLowerCase().trim();
  if (!wanted) return 1;
  const whole = text.indexOf(wanted);
  if (whole >= 0) return 1000 - Math.min(whole, 400) + (whole === 0 || /\W/.test(text[whole - 1] ?? "") ? 500 : 0);
  let at = -1;
  let gaps = 0;
  for (const letter of wanted.replaceAll(" ", "")) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return 0;
    if (at >= 0) gaps += next - at - 1;
    at = next;
  }
  // Letters strewn over a long name are no answer to anything.
  return gaps > wanted.length * 4 ? 0 : Math.max(1, 500 - gaps * 10);
}

const MOST = 60;

export function Palette({ commands }: { commands: () => readonly Command[] }) {
  if (open.value === null) return null;
  return <PaletteBox text={open.value} commands={commands} />;
}

function PaletteBox({ text: first, commands }: { text: string; commands: () => readonly Command[] }) {
  const [text, setText] = useState(first);
  const [chosen, setChosen] = useState(0);
  useEffect(() => layOver(closePalette, true), []);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const all = useMemo(() => [...added.value, ...commands()], []);
  const found = useMemo(
    () =>
      all
        .map((command, at) => ({ command, at, score: fit(command.title, text) }))
        .filter((one) => one.score > 0)
        .sort((a, b) => b.score - a.score || a.at - b.at)
        .slice(0, MOST),
    [all, text],
  );
  useEffect(() => {
    const before = document.activeElement;
    field.current?.focus();
    field.current?.select();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [chosen, found]);
  const run = (at: number) => {
    closePalette();
    // After the palette is gone, so that what runs may take the focus.
    const command = found[at]?.command;
    if (command) setTimeout(() => command.run());
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setChosen(Math.min(chosen + 1, found.length - 1));
    else if (event.key === "ArrowUp") setChosen(Math.max(chosen - 1, 0));
    else if (event.key === "Enter") run(chosen);
    else if (event.key !== "Tab") return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="overlay" onPointerDown={(event) => event.target === event.currentTarget && closePalette()}>
      <div class="dialog palette" role="dialog" aria-modal="true" aria-label="Commands">
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found.length ? `palette-${chosen}` : undefined}
          aria-label="Command, view, table or name"
          placeholder="Command, view, table or name"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
        <ul role="listbox" id="palette-list" aria-label="Found" ref={list}>
          {found.map(({ command, at }, index) => (
            <li key={at} id={`palette-${index}`} role="option" aria-selected={index === chosen} onPointerMove={() => setChosen(index)} onClick={() => run(index)}>
              <span>{command.title}</span>
              <span class="quiet">{command.hint}</span>
            </li>
          ))}
        </ul>
        {found.length === 0 ? <p class="empty">No matches.</p> : null}
      </div>
    </div>
  );
}
