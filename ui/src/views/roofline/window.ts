// The part of a chart that is shown, how it came about, and its place in the address.

import { useEffect, useRef, useState } from "preact/hooks";
import { set, setting } from "../../state";
import type { Window } from "./scene";
import { sensible } from "./scale";

function parse(text: string): Window | null {
  const [x0, x1, y0, y1] = text.split(",").map(Number);
  if (x0 === undefined || x1 === undefined || y0 === undefined || y1 === undefined) return null;
  const window: Window = { x: [x0, x1], y: [y0, y1] };
  return sensible(window.x) && sensible(window.y) ? window : null;
}

function written(window: Window | null): string {
  return window ? [...window.x, ...window.y].map((log) => log.toFixed(3)).join(",") : "";
}

/** The window and how it came about. It is written to the address when it rests. */
export function useWindow(id: string) {
  const key = `${id}.window`;
  const asked = setting(key);
  const [window, setWindow] = useState<Window | null>(() => parse(asked));
  const past = useRef<(Window | null)[]>([]);
  const wrote = useRef(asked);
  useEffect(() => {
    if (asked !== wrote.current) {
      wrote.current = asked;
      setWindow(parse(asked));
    }
  }, [asked]);
  useEffect(() => {
    const rest = setTimeout(() => {
      const text = written(window);
      if (text === wrote.current) return;
      wrote.current = text;
      set(key, text || null);
    }, 250);
    return () => clearTimeout(rest);
  }, [window]);
  return {
    window,
    past,
    /** Shows another part; `keep` makes it a step that can be undone. */
    show(next: Window | null, keep: boolean): void {
      if (next && !(sensible(next.x) && sensible(next.y))) return;
      if (keep) {
        past.current.push(window);
        if (past.current.length > 100) past.current.shift();
      }
      setWindow(next);
    },
    undo(): void {
      const last = past.current.pop();
      if (last !== undefined) setWindow(last);
    },
  };
}
