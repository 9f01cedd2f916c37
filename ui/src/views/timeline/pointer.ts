// What the pointer does on the canvases: drags, areas, wheel, clicks.

import { turn } from "../../kit/viewport";
import { setting } from "../../state";
import { AXIS, keysBetween, lineAtY } from "./scene";
import type { Timeline } from "./timeline";

/** Less is a click whose hand trembled. */
const A_DRAG = 4;

interface Drag {
  x: number;
  y: number;
  from: number;
  to: number;
  top: number;
  moved: boolean;
  kind: "move" | "area" | "time";
}

export interface PointerTells {
  /** Something is under the pointer, or nothing is. */
  hover(event: PointerEvent): void;
  leave(): void;
}

/** Listens on the plot; returns how to stop. */
export function onPlot(timeline: Timeline, plot: HTMLCanvasElement, tells: PointerTells): () => void {
  const ends = new AbortController();
  const { signal } = ends;
  const { viewport } = timeline;
  let drag: Drag | null = null;
  const margin = () => timeline.drawn?.margin ?? 0;

  plot.addEventListener(
    "wheel",
    (event) => {
      if (event.offsetX < margin() && !event.ctrlKey) return;
      event.preventDefault();
      turn(viewport, event, event.offsetX - margin());
    },
    { passive: false, signal },
  );

  plot.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0 || !timeline.scroll) return;
      const inPlot = event.offsetX >= margin();
      const wantsArea = event.shiftKey || setting("timeline.drag") === "area";
      const kind = inPlot && event.offsetY < AXIS ? "time" : inPlot && wantsArea ? "area" : "move";
      drag = { x: event.offsetX, y: event.offsetY, from: viewport.from, to: viewport.to, top: timeline.scroll.scrollTop, moved: false, kind };
      plot.setPointerCapture(event.pointerId);
    },
    { signal },
  );

  plot.addEventListener(
    "pointermove",
    (event) => {
      if (!drag) {
        tells.hover(event);
        return;
      }
      const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
      if (!drag.moved && Math.abs(dx) + Math.abs(dy) < A_DRAG) return;
      drag.moved = true;
      tells.leave();
      if (drag.kind === "move") {
        if (timeline.scroll) timeline.scroll.scrollTop = drag.top - dy;
        const time = (dx / viewport.width) * (drag.to - drag.from);
        viewport.set(drag.from - time, drag.to - time);
      } else timeline.dragged.value = areaTo(timeline, drag, event.offsetX, event.offsetY);
    },
    { signal },
  );

  plot.addEventListener(
    "pointerup",
    (event) => {
      const wasClick = drag && !drag.moved;
      drag = null;
      if (timeline.dragged.peek()) timeline.keepArea(timeline.dragged.peek());
      if (!wasClick) return;
      const scene = timeline.drawn;
      const line = scene ? lineAtY(scene, event.offsetY) : undefined;
      if (event.offsetX < margin()) {
        if (line?.kind === "row") timeline.fold(line.track.key);
        else if (line?.kind === "heading") timeline.close(line.key);
        return;
      }
      timeline.keepArea(null);
      timeline.choose(timeline.point({ x: event.offsetX, y: event.offsetY })?.entry ?? -1);
    },
    { signal },
  );
  plot.addEventListener(
    "pointercancel",
    () => {
      drag = null;
      timeline.dragged.value = null;
    },
    { signal },
  );
  plot.addEventListener("dblclick", (event) => event.offsetX >= margin() && timeline.focus(), { signal });
  plot.addEventListener("pointerleave", () => tells.leave(), { signal });
  return () => ends.abort();
}

function areaTo(timeline: Timeline, drag: Drag, x: number, y: number) {
  const scene = timeline.drawn;
  if (!scene) return null;
  const { viewport } = timeline;
  const times = [drag.x, x].map((at) => viewport.toAxis(Math.max(0, at - scene.margin)));
  // On the axis all rows that are shown are meant.
  const keys = drag.kind === "time" ? new Set([...scene.pinned.lineOf.keys(), ...scene.scrolling.lineOf.keys()]) : keysBetween(scene, drag.y, y);
  return { from: Math.min(...times), to: Math.max(...times), keys };
}

/** Listens on the overview: a drag chooses a window, a click moves it. */
export function onMap(timeline: Timeline, map: HTMLCanvasElement): () => void {
  const ends = new AbortController();
  const { signal } = ends;
  const { viewport } = timeline;
  let from: number | null = null;
  const timeOf = (event: PointerEvent) => {
    const margin = timeline.drawn?.margin ?? 0;
    const { from: start, to: end } = viewport.whole;
    return start + ((event.offsetX - margin) / viewport.width) * (end - start);
  };
  const few = () => (3 * (viewport.whole.to - viewport.whole.from)) / viewport.width;
  map.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0) return;
      from = timeOf(event);
      map.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  map.addEventListener(
    "pointermove",
    (event) => {
      const to = timeOf(event);
      if (from !== null && Math.abs(to - from) > few()) viewport.set(Math.min(from, to), Math.max(from, to));
    },
    { signal },
  );
  map.addEventListener(
    "pointerup",
    (event) => {
      const to = timeOf(event);
      if (from !== null && Math.abs(to - from) <= few()) viewport.set(to - viewport.length / 2, to + viewport.length / 2);
      from = null;
    },
    { signal },
  );
  return () => ends.abort();
}
