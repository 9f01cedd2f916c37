// Bars of parts that make a whole, one below the other: one for each rank.

import { useId, useState } from "preact/hooks";
import { percent } from "../format";
import { type Explanation, explain } from "./explain";
import { filling, Legend, Patterns } from "./patterns";
import { useWidth } from "./size";
import { hideTip, showTip, TipLines } from "./tooltip";

export interface StackPart {
  /** A token of the style sheet: `compute`, `c1`. */
  part: string;
  label: string;
  value: number;
  /** As people read it. */
  text: string;
  about?: () => Explanation;
}

export interface StackRow {
  label: string;
  parts: readonly StackPart[];
  onClick?: () => void;
}

interface Props {
  rows: readonly StackRow[];
  label: string;
  /** Where to keep the drawing for its export. */
  drawing?: { current: SVGSVGElement | null };
  /** What a full bar is; without, each bar is full by itself. */
  whole?: number | undefined;
  /** Parts say their share of their own bar, though bars are on one scale. */
  own?: boolean;
}

const BAR = 20;
const GAP = 8;
/** Bars before somebody asks for all. */
const MOST = 16;

export function Stack({ rows, label, drawing, whole, own }: Props) {
  const [box, width] = useWidth<HTMLDivElement>();
  const id = useId();
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, MOST);
  const left = Math.min(160, Math.max(...shown.map((row) => row.label.length), 1) * 7 + 12);
  const room = Math.max(60, width - left);
  const legend = [...new Map(rows.flatMap((row) => row.parts.map((part) => [part.part, part.label] as const)))];
  const height = shown.length * (BAR + GAP) + 18;
  return (
    <div ref={box}>
      <svg
        ref={(element) => {
          if (drawing) drawing.current = element;
        }}
        class="chart"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={label}
        onPointerLeave={hideTip}
      >
        <Patterns id={id} />
        {shown.map((row, index) => {
          const full = row.parts.reduce((sum, part) => sum + Math.max(0, part.value), 0);
          const sum = whole ?? full;
          let x = left;
          return (
            <g key={index} transform={`translate(0 ${index * (BAR + GAP)})`}>
              <text x={0} y={14} class="row-label">
                {row.label.length > 22 ? `${row.label.slice(0, 21)}…` : row.label}
              </text>
              <rect x={left} width={room} height={BAR} rx={4} fill="var(--raised)" />
              {row.parts.map((part) => {
                const wide = sum > 0 ? (Math.max(0, part.value) / sum) * room : 0;
                const at = x;
                x += wide;
                if (wide < 0.25) return null;
                const share = (part.value / (own ? full : sum)) * 100;
                return (
                  <g
                    key={part.part}
                    class="part"
                    role="button"
                    tabindex={0}
                    aria-label={`${row.label}, ${part.label}: ${part.text}, ${percent(share)}`}
                    onPointerMove={(event) => showTip(event, <TipLines title={row.label} lines={[[part.label, part.text], ["Share", percent(share)]]} />)}
                    onClick={(event) => (part.about ? explain(event.currentTarget, part.about()) : row.onClick?.())}
                    onKeyDown={(event) => {
                      if (event.key === "Enter" && part.about) explain(event.currentTarget, part.about());
                    }}
                  >
                    <rect x={at} width={wide} height={BAR} fill={filling(part.part, id)} />
                    {wide > 44 ? (
                      <text x={at + wide / 2} y={14} text-anchor="middle" class={`on-part ${part.part}`}>
                        {percent(share)}
                      </text>
                    ) : null}
                  </g>
                );
              })}
            </g>
          );
        })}
        <Legend parts={legend} id={id} y={height - 14} />
      </svg>
      {rows.length > MOST ? (
        <p class="note">
          {shown.length} of {rows.length} bars.{" "}
          <button type="button" class="link" onClick={() => setAll(!all)}>
            {all ? "Show fewer" : "Show all"}
          </button>
        </p>
      ) : null}
    </div>
  );
}
