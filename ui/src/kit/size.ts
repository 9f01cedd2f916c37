// The width that an element has, told again when it changes.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export function useWidth<Kind extends HTMLElement>(first = 600): [RefObject<Kind | null>, number] {
  const box = useRef<Kind>(null);
  const watched = useRef<{ element: Kind; watcher: ResizeObserver } | null>(null);
  const [width, setWidth] = useState(first);
  // After every drawing: the element may come late, or be another one than before.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === (watched.current?.element ?? null)) return;
    watched.current?.watcher.disconnect();
    watched.current = null;
    if (!element) return;
    const measure = () => setWidth(Math.max(120, Math.floor(element.clientWidth)));
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    watched.current = { element, watcher };
  });
  useEffect(
    () => () => {
      watched.current?.watcher.disconnect();
      watched.current = null;
    },
    [],
  );
  return [box, width];
}
