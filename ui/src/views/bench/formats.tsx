// Formats of numbers: bits, range, scales, and the values that a narrow one can hold.

import { fixed, format as show, thousands } from "../../format";
import { Panel } from "../../kit/panel";
import type { Source } from "../../source";
import { set, setting } from "../../state";
import { useFormats } from "./hooks";
import { NoServer } from "./results";
import { colourOf, valuesOf } from "./precision";
import type { Format } from "./requests";

function css(name: string): string {
  const colour = colourOf(name);
  return colour.startsWith("#") ? colour : `var(--${colour})`;
}

/** `32 elements: 8 bits`. */
function scaleWords(format: Format): string {
  if (!format.scales.length) return "none";
  return format.scales.map((scale) => `${scale.bits} bits for ${scale.every === null ? "the tensor" : `${thousands(scale.every)} elements`}`).join(", ");
}

/** The bits of an element: sign, exponent, mantissa. */
function Layout({ format }: { format: Format }) {
  const signed = format.element_bits > format.exponent_bits + format.mantissa_bits;
  const parts: [string, number][] = [["sign", signed ? 1 : 0], ["exponent", format.exponent_bits], [format.exponent_bits ? "mantissa" : "value", format.mantissa_bits]];
  const shown = parts.filter(([, count]) => count > 0 && count < 65);
  return (
    <div class="bits" role="img" aria-label={shown.map(([name, count]) => `${count} bits of ${name}`).join(", ")}>
      {shown.flatMap(([name, count]) => Array.from({ length: count }, (_, index) => <i key={`${name}${index}`} class={name} />))}
    </div>
  );
}

/** The values that are not negative, on a line. */
function Values({ format }: { format: Format }) {
  const values = valuesOf(format);
  if (!values.length) return <p class="quiet small">Too many values to list.</p>;
  const most = values.at(-1) ?? 1;
  const width = 640;
  const x = (value: number): number => 10 + (value / most) * (width - 20);
  const listed = values.length <= 16 ? values.map((value) => String(value)).join(", ") : "";
  return (
    <>
      <svg viewBox={`0 0 ${width} 40`} class="values" role="img" aria-label={`${values.length} values from 0 to ${most}`}>
        <path class="line" d={`M10 22H${width - 10}`} />
        <path class="tick" d={values.map((value) => `M${x(value).toFixed(2)} 12v20`).join("")} style={{ stroke: css(format.name) }} />
        <text x="10" y="39">
          0
        </text>
        <text x={width - 10} y="39" text-anchor="end">
          {show(most)}
        </text>
      </svg>
      <p class="quiet small">
        {values.length} values that are not negative{listed ? `: ${listed}` : `, the smallest ${show(values[1])}`}.{format.scales.length ? " A scale stretches them." : ""}
      </p>
    </>
  );
}

export function Formats({ source }: { source: Source }) {
  const { answer, problem } = useFormats(source);
  if (!source.live) return (
    <Panel title="Formats">
      <NoServer has={false} />
    </Panel>
  );
  if (!answer) return <Panel title="Formats">{problem ? <p class="warning-text">{problem}</p> : <p class="quiet">Asking…</p>}</Panel>;
  const sorted = [...answer].sort((a, b) => b.effective_bits - a.effective_bits || a.name.localeCompare(b.name));
  const chosen = answer.find((one) => one.name === setting("bench.format", "mxfp4")) ?? sorted[0];
  const widest = sorted[0]?.effective_bits ?? 1;
  return (
    <Panel title="Formats" note="Bits per number including its share of the scales, its range, and the units that compute it." exports={{ name: "formats", json: () => answer }}>
      <div class="formats">
        <div class="scroll">
          <table class="plain">
            <thead>
              <tr>
                {["Format", "Family", "Bits", "Exponent", "Mantissa", "Scales", "Bits with scales", "Largest", "Computed in"].map((title) => (
                  <th key={title} scope="col" class={/Bits|Exp|Mant|Larg/.test(title) ? "num" : ""}>
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {sorted.map((one) => (
                <tr key={one.name} aria-selected={one === chosen} onClick={() => set("bench.format", one.name)}>
                  <th scope="row">
                    <button type="button" class="link" onClick={() => set("bench.format", one.name)}>
                      <i class="swatch" style={{ "--mark": css(one.name) }} /> <span>{one.name}</span>
                    </button>
                  </th>
                  <td>{one.family}</td>
                  <td class="num">{one.element_bits}</td>
                  <td class="num">{one.exponent_bits || "-"}</td>
                  <td class="num">{one.mantissa_bits || "-"}</td>
                  <td>{scaleWords(one)}</td>
                  <td class="num share" style={{ "--part": `${(100 * Math.log2(1 + one.effective_bits)) / Math.log2(1 + widest)}%` }}>
                    {fixed(one.effective_bits, Number.isInteger(one.effective_bits) ? 0 : 3)}
                  </td>
                  <td class="num">{one.largest > 1e6 ? one.largest.toExponential(2) : show(one.largest)}</td>
                  <td>{one.arithmetic ?? "-"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {chosen ? (
          <section class="format" aria-label={`About ${chosen.name}`}>
            <h3>{chosen.name}</h3>
            <Layout format={chosen} />
            <p class="small quiet">
              {chosen.element_bits} bits{chosen.scales.length ? `; scales: ${scaleWords(chosen)}` : ""}. A tensor of 4096 x 4096 takes {((chosen.effective_bits * 4096 * 4096) / 8 / 2 ** 20).toFixed(2)} MiB, {percentOf(chosen.effective_bits)} of fp16.
            </p>
            <Values format={chosen} />
          </section>
        ) : null}
      </div>
    </Panel>
  );
}

function percentOf(bits: number): string {
  return `${((100 * bits) / 16).toFixed(1)}%`;
}
