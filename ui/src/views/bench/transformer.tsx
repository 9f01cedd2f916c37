// A whole transformer on a device: what each operator takes at best, pinned and compared.

import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { format, percent, words } from "../../format";
import { NumberButton } from "../../kit/explain";
import { Panel } from "../../kit/panel";
import { DataTable } from "../../kit/table";
import type { Source } from "../../source";
import type { Document, NumberEntry, Section } from "../../source/document";
import { set, setting } from "../../state";
import { radiusOf } from "../roofline/marks";
import type { Spot } from "../roofline/scene";
import { BenchChart } from "./chart";
import { DEFAULT_DEVICE, DeviceField } from "./device";
import { usePresets, useRoofs } from "./hooks";
import { NoServer } from "./results";
import { type BenchPoint, predicted } from "./points";
import type { PredictRequest } from "./requests";

/** So many combinations are kept beside the one that is looked at. */
const MOST_PINS = 4;
const PIN_COLOURS = ["#fbbf24", "#34d399", "#c084fc", "#fb7185"];

interface Pin {
  title: string;
  section: Section;
}

/** They stay when another view is opened. */
const kept = signal<readonly Pin[]>([]);

const SHOWN = ["time_ns", "tokens_per_second", "flops", "bytes", "weights_bytes", "cache_bytes", "fits", "cache_crossover_tokens"] as const;
const WORDS: Partial<Record<(typeof SHOWN)[number], string>> = { time_ns: "Best time", flops: "Operations", bytes: "Bytes moved", tokens_per_second: "Tokens a second", weights_bytes: "Weights", cache_bytes: "Cache", fits: "Fits in memory", cache_crossover_tokens: "Cache equals weights at" };

function numberOf(section: Section | undefined, id: string): NumberEntry | undefined {
  return section?.numbers.find((one) => one.id === id);
}

/** Products, attention and the rest by shape; area by time. */
function looks(points: readonly BenchPoint[]): (point: BenchPoint) => Partial<Spot> {
  const total = points.reduce((sum, point) => sum + point.time, 0);
  return ({ name, time }) => ({
    name,
    weight: time,
    symbol: /norm|softmax|activation|silu|gelu|residual|rope|rotary|embedding/.test(name) ? "square" : /attention|score/.test(name) ? "diamond" : "circle",
    radius: radiusOf(total ? time / total : 0, points.length),
    fill: "half",
  });
}

/** Powers of two under a slider. */
function Powers({ name, title, low, high, value, change }: { name: string; title: string; low: number; high: number; value: number; change(value: number): void }) {
  return (
    <label class="field">
      <span class="quiet">{title}</span>
      <input type="range" name={name} min={low} max={high} step="1" value={Math.round(Math.log2(value))} aria-label={title} aria-valuetext={String(value)} onInput={(event) => change(2 ** event.currentTarget.valueAsNumber)} />
      <output>{value.toLocaleString("en")}</output>
    </label>
  );
}

export function Transformer({ source }: { source: Source }) {
  const { answer: presets, problem: without } = usePresets(source);
  const model = setting("bench.model", "llama-3-8b");
  const config = setting("bench.config", "fp16");
  const phase = setting("bench.phase") === "prefill" ? "prefill" : "decode";
  const context = Number(setting("bench.context", "4096")) || 4096;
  const batch = Number(setting("bench.batch", "1")) || 1;
  const device = setting("bench.device", DEFAULT_DEVICE);
  const other = setting("bench.whatif");
  const roofs = useRoofs(source, device);
  const [answer, setAnswer] = useState<Document | null>(null);
  const [whatIf, setWhatIf] = useState<Document | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const pins = kept.value;
  const setPins = (next: readonly Pin[]) => (kept.value = next);
  const drawing = useRef<() => SVGSVGElement | null>(() => null);

  useEffect(() => {
    if (!source.live) return;
    let wanted = true;
    const request = (on: string): PredictRequest => ({ op: "model", model, config, phase, context, batch, device: on });
    const rest = setTimeout(() => {
      const failed = (error: unknown): void => {
        if (wanted) setProblem(error instanceof Error ? error.message : String(error));
      };
      source.ask<Document>("predict", request(device)).then((found) => wanted && (setAnswer(found), setProblem(null)), failed);
      if (other) source.ask<Document>("predict", request(other)).then((found) => wanted && setWhatIf(found), failed);
      else setWhatIf(null);
    }, 150);
    return () => {
      wanted = false;
      clearTimeout(rest);
    };
  }, [source, model, config, phase, context, batch, device, other]);

  const points = useMemo(() => (answer ? predicted(answer) : []), [answer]);
  const look = useMemo(() => looks(points), [points]);
  if (!source.live) return (
    <Panel title="Transformer">
      <NoServer has={false} />
    </Panel>
  );
  const section = answer?.sections.find((one) => one.id === "predict");
  const table = section?.tables.find((one) => one.id === "predictions");
  const chosen = presets?.configurations.find((one) => one.key === config);
  const title = `${model} ${config} ${phase}, context ${context}, batch ${batch}, ${device}`;
  const columns: Pin[] = [...(section ? [{ title: "now", section }] : []), ...whatIfOf(whatIf, other), ...pins];
  const choose = (key: string, value: string) => set(`bench.${key}`, value || null);
  return (
    <Panel
      title="Transformer"
      note="Best times: every operator at its roof, run one after another."
      exports={{ name: "transformer", svg: () => drawing.current(), table: table ? () => table : undefined, command: `eaves predict model ${model} --config ${config} --phase ${phase} --context ${context} --batch ${batch} --device ${device}` }}
    >
      <div class="bench-work">
        <div class="stack bench-form">
          <label class="field">
            <span class="quiet">Model</span>
            <select value={model} aria-label="Model" onChange={(event) => choose("model", event.currentTarget.value)}>
              {presets ? presets.models.map((one) => <option key={one.key} value={one.key}>{`${one.name} (${format(one.parameters / 1e9)} B)`}</option>) : <option>{model}</option>}
            </select>
          </label>
          <label class="field">
            <span class="quiet">Precisions</span>
            <select value={config} aria-label="Precisions of the model" onChange={(event) => choose("config", event.currentTarget.value)}>
              {presets ? presets.configurations.map((one) => <option key={one.key}>{one.key}</option>) : <option>{config}</option>}
            </select>
          </label>
          {chosen ? (
            <p class="quiet small">
              weights {chosen.weights}, activations {chosen.activations}, cache {chosen.cache}, computed in {chosen.compute}
            </p>
          ) : null}
          <div class="sub-tabs" role="radiogroup" aria-label="Phase">
            {(["prefill", "decode"] as const).map((one) => (
              <button type="button" role="radio" key={one} aria-checked={phase === one} onClick={() => choose("phase", one === "decode" ? "" : one)}>
                {one}
              </button>
            ))}
          </div>
          <Powers name="context" title="Context" low={5} high={17} value={context} change={(value) => choose("context", String(value))} />
          <Powers name="batch" title="Batch" low={0} high={9} value={batch} change={(value) => choose("batch", String(value))} />
          <DeviceField source={source} title="Device" label="Device of the model" device={device} choose={(id) => choose("device", id)} />
          <DeviceField source={source} title="What if on" label="What if on" device={other} none="nothing else" choose={(id) => choose("whatif", id)} />
          <div class="buttons">
            <button type="button" class="button" disabled={!section || pins.length >= MOST_PINS || pins.some((pin) => pin.title === title)} onClick={() => section && setPins([...pins, { title, section }])}>
              Pin current{pins.length ? ` (${pins.length} of ${MOST_PINS})` : ""}
            </button>
          </div>
          {problem ?? without ? (
            <p class="warning-text" role="alert">
              {problem ?? without}
            </p>
          ) : null}
        </div>
        <div class="chart-column">
          <BenchChart id="transformer" points={points} roofs={roofs} height={360} look={look} drawing={(get) => (drawing.current = get)} />
          <div class="legend">
            <span>○ product</span>
            <span>◇ attention</span>
            <span>□ elementwise</span>
            <span>every operator at its roof: the best possible time</span>
          </div>
        </div>
      </div>
      {columns.length ? (
        <div class="scroll compared">
          <table class="plain compare">
            <thead>
              <tr>
                <th scope="col" />
                {columns.map((pin, index) => {
                  const at = pins.indexOf(pin);
                  return (
                    <th scope="col" key={index} style={at >= 0 ? { boxShadow: `inset 0 3px 0 ${PIN_COLOURS[at]}` } : undefined}>
                      {pin.title}
                      {at >= 0 ? (
                        <button type="button" class="icon" aria-label={`Unpin ${pin.title}`} onClick={() => setPins(pins.filter((one) => one !== pin))}>
                          ×
                        </button>
                      ) : null}
                    </th>
                  );
                })}
              </tr>
            </thead>
            <tbody>
              {SHOWN.map((id) => (
                <tr key={id}>
                  <th scope="row">{WORDS[id] ?? words(id)}</th>
                  {columns.map((pin, index) => (
                    <td class="num" key={index}>
                      <Compared entry={numberOf(pin.section, id)} base={index ? numberOf(section, id) : undefined} section={pin.section} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <p class="quiet">Asking…</p>
      )}
      {table ? <DataTable table={table} section={section} id="bench.ops" sort="-share_pct" rows={18} columns={["op", "precision", "share_pct", "time_ns", "bound_by", "class", "intensity", "flops", "bytes", "calls", "roof_gflops"]} /> : null}
    </Panel>
  );
}

function whatIfOf(document: Document | null, device: string): Pin[] {
  const section = document?.sections.find((one) => one.id === "predict");
  return section && device ? [{ title: `if on ${String(numberOf(section, "device")?.value ?? device)}`, section }] : [];
}

/** A number, and how it is to the one that is looked at. */
function Compared({ entry, base, section }: { entry: NumberEntry | undefined; base: NumberEntry | undefined; section: Section }) {
  if (!entry) return <>-</>;
  const both = typeof entry.value === "number" && typeof base?.value === "number" && base.value > 0 && entry.value !== base.value;
  return (
    <>
      <NumberButton entry={entry} section={section} />
      {both ? <span class="quiet"> {percent((100 * (entry.value as number)) / (base?.value as number))}</span> : null}
    </>
  );
}

