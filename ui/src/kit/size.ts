// The width that an element has, told again when it changes.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export function useWidth<Kind extends HTMLElement>(first = 600): [RefObject<Kind | null>, number] {
  const box = useRef<Kind>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(Math.max(120, Math.floor(element.clientWidth)));
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return [box, width];
}
