// Fillings that are told apart without colour: plain, stripes, bars, hatching.

/** What time goes into, with the words for it. */
export const PARTS = {
  compute: "Compute",
  communication: "Exposed communication",
  memory: "Exposed memory",
  idle: "Idle",
} as const;

export type Part = keyof typeof PARTS;

/** The definitions; a drawing that fills with `filling` holds them once. */
export function Patterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={`${id}-communication`} width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="8" height="8" fill="var(--communication)" />
        <rect width="2.5" height="8" fill="var(--surface)" fill-opacity="0.4" />
      </pattern>
      <pattern id={`${id}-memory`} width="5" height="5" patternUnits="userSpaceOnUse">
        <rect width="5" height="5" fill="var(--memory)" />
        <rect width="1.5" height="5" fill="var(--surface)" fill-opacity="0.4" />
      </pattern>
      <pattern id={`${id}-idle`} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect width="6" height="6" fill="var(--idle)" />
        <rect width="1" height="6" fill="var(--hatch)" />
      </pattern>
    </defs>
  );
}

/** How a part is filled in a drawing that holds `Patterns` of this id. */
export function filling(part: string, id: string): string {
  return part === "communication" || part === "memory" || part === "idle" ? `url(#${id}-${part})` : `var(--${part})`;
}

/** The words of the fillings, as part of a drawing. */
export function Legend({ parts, id, y }: { parts: readonly (readonly [string, string])[]; id: string; y: number }) {
  let x = 0;
  return (
    <g class="legend" aria-hidden="true">
      {parts.map(([part, label]) => {
        const at = x;
        // Letters of the font of legends are about this wide.
        x += 36 + label.length * 6.7;
        return (
          <g key={part} transform={`translate(${at} ${y})`}>
            <rect width="14" height="10" rx="2" y="1" fill={filling(part, id)} />
            <text x="19" y="10">
              {label}
            </text>
          </g>
        );
      })}
    </g>
  );
}
