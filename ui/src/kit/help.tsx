// The keys that work now, by what they belong to.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { bound, type Key, layOver } from "./keys";

const open = signal(false);

export function openHelp(): void {
  open.value = true;
}

function closeHelp(): void {
  open.value = false;
}

const SHOWN: Readonly<Record<string, string>> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };

/** Keys as people know them: `Ctrl+ArrowUp` is `Ctrl ↑`. */
function shown(name: string): string {
  return name
    .split("+")
    .map((part) => SHOWN[part] ?? part)
    .join(" ") || name;
}

export function Help() {
  return open.value ? <HelpBox /> : null;
}

/** Keys that only differ in whether Shift is held do the same. */
function once(names: readonly string[]): string[] {
  return names.filter((name) => name.length > 1 || name === name.toLowerCase() || !names.includes(name.toLowerCase()));
}

function HelpBox() {
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => layOver(closeHelp, true), []);
  useEffect(() => {
    const before = document.activeElement;
    close.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const groups = new Map<string, Key[]>();
  for (const key of bound.value) groups.set(key.group, [...(groups.get(key.group) ?? []), key]);
  return (
    <div class="overlay" onPointerDown={(event) => event.target === event.currentTarget && closeHelp()}>
      <div class="dialog" role="dialog" aria-modal="true" aria-labelledby="help-title">
        <header>
          <h2 id="help-title">Keys</h2>
          <button type="button" class="icon" aria-label="Close" ref={close} onClick={() => closeHelp()}>
            ×
          </button>
        </header>
        <div class="inside help" tabIndex={0} role="group" aria-labelledby="help-title">
          {[...groups].map(([group, keys]) => (
            <section key={group}>
              <h3>{group}</h3>
              <dl>
                {keys.map((key) => (
                  <div key={key.does}>
                    <dt>{key.does}</dt>
                    <dd>
                      {once(key.keys).map((name) => (
                        <kbd key={name}>{shown(name)}</kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </div>
    </div>
  );
}
