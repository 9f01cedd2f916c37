// The list of kernels beside the chart: a click selects and dims the others, with Ctrl one more.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { duration, percent } from "../../format";
import { shorten } from "../../kit/names";
import { seen } from "../../kit/rows";
import type { Data } from "./data";
import { Swatch } from "./detail";

const ROW = 42;

interface Props {
  data: Data;
  /** Indices in the order of the list. */
  shown: readonly number[];
  chosen: number;
  selected: ReadonlySet<string>;
  choose(index: number, more: boolean): void;
  hover(index: number): void;
}

export function Kernels({ data, shown, chosen, selected, choose, hover }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(480);
  const place = shown.indexOf(chosen);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    setHeight(element.clientHeight);
    // What was chosen in the chart must be on the screen here too.
    if (place >= 0 && (place * ROW < element.scrollTop || (place + 1) * ROW > element.scrollTop + element.clientHeight))
      element.scrollTop = Math.max(0, place * ROW - element.clientHeight / 2);
  }, [place]);
  const longest = shown.reduce((most, index) => Math.max(most, data.points[index]?.time ?? 0), 0);
  const [from, to] = seen(shown.length, top, height, ROW);
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step === undefined) return;
    const next = shown[Math.max(0, Math.min(shown.length - 1, place < 0 ? 0 : place + step))];
    if (next !== undefined) choose(next, false);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="kernels" ref={box} role="listbox" aria-label="Kernels by time" aria-multiselectable={true} tabIndex={0} aria-activedescendant={place >= 0 ? `kernel-${chosen}` : undefined} onScroll={(event) => setTop(event.currentTarget.scrollTop)} onKeyDown={press} onMouseLeave={() => hover(-1)}>
      <div style={{ height: `${shown.length * ROW}px` }}>
        <div style={{ transform: `translateY(${from * ROW}px)` }}>
          {shown.slice(from, to).map((index) => {
            const point = data.points[index];
            if (!point) return null;
            const share = point.time !== null && longest ? (100 * Math.max(0, point.time)) / longest : 0;
            return (
              <div
                key={index}
                id={`kernel-${index}`}
                role="option"
                aria-selected={selected.has(point.name)}
                class={`kernel${index === chosen ? " here" : ""}`}
                title={[point.name, point.shape].filter(Boolean).join("\n")}
                style={{ "--part": `${share}%` }}
                onClick={(event) => choose(index, event.ctrlKey || event.metaKey || event.shiftKey)}
                onMouseEnter={() => hover(index)}
              >
                <Swatch status={point.status} />
                <span class="kernel-name">{shorten(point.name, 36)}</span>
                <span class="kernel-time">{point.time === null ? "-" : duration(point.time)}</span>
                <span class="kernel-more">{[point.shape ?? point.kind, point.dtype].filter(Boolean).join(" · ")}</span>
                <span class={`kernel-roof${point.flag ? " critical" : ""}`}>{point.pct === null ? "no roof" : point.flag ? "above its roof" : `${percent(point.pct)} of roof`}</span>
              </div>
            );
          })}
        </div>
      </div>
      {shown.length === 0 ? <p class="empty">No kernel matches the filters.</p> : null}
    </div>
  );
}
