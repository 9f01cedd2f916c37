// One product of matrices, in one precision or all: what it could take at best, and what it takes here.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted } from "../../format";
import { Panel } from "../../kit/panel";
import type { Source } from "../../source";
import type { Document } from "../../source/document";
import { set, setting } from "../../state";
import { BenchChart } from "./chart";
import { DEFAULT_DEVICE, DeviceField } from "./device";
import { useFormats, usePresets, useRoofs } from "./hooks";
import { measured, predicted, unsupported } from "./points";
import type { BenchRequest, Job, JobProgress, PredictRequest, Presets } from "./requests";
import { Legend, NoServer, Results } from "./results";
import { measuredRoofs, type Roofs } from "./roofs";
import { add, points, refused } from "./state";

/** What presets are called here. */
const PRESET_WORDS: Readonly<Record<string, string>> = { decode: "Decode", "ffn-up": "FFN up", prefill: "Prefill", sweep: "Sweep" };

function useJob(source: Source) {
  const [progress, setProgress] = useState<(JobProgress & { job: string; errors: string[] }) | null>(null);
  const stop = useRef<() => void>(() => {});
  useEffect(() => () => stop.current(), []);
  return {
    progress,
    async start(request: BenchRequest): Promise<void> {
      const { job } = await source.ask<Job>("bench", request);
      const errors: string[] = [];
      setProgress({ job, state: "running", done: 0, total: 0, errors });
      stop.current();
      stop.current = source.listen(`jobs/${encodeURIComponent(job)}/events`, (message) => {
        const now = message.data as JobProgress;
        if (now.document) add(measured(now.document));
        if (now.error) errors.push(now.error);
        setProgress({ ...now, job, errors: [...errors] });
        if (now.state !== "running") stop.current();
      });
    },
    async cancel(): Promise<void> {
      if (progress) await source.ask(`jobs/${encodeURIComponent(progress.job)}`, undefined, "DELETE");
    },
  };
}

/** A precision of a prediction as `bench` names it: weights with the activations that make them quickest. */
export function benchPrecision(precision: string, known: readonly string[]): string {
  if (precision === "all") return "all";
  return known.find((one) => one === precision || one.startsWith(`${precision}/`)) ?? precision;
}

export function Kernel({ source, document }: { source: Source; document: Document }) {
  const presets = usePresets(source).answer;
  const formats = useFormats(source).answer;
  const device = setting("bench.device", DEFAULT_DEVICE);
  const roofsOfDevice = useRoofs(source, device);
  const own = useMemo(() => measuredRoofs(document), [document]);
  const roofs: Roofs = source.live ? roofsOfDevice : own;
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const { progress, start, cancel } = useJob(source);
  const drawing = useRef<() => SVGSVGElement | null>(() => null);
  useEffect(() => add(measured(document)), [document]);

  const shape = { m: Number(setting("bench.m", "1")), n: Number(setting("bench.n", "4096")), k: Number(setting("bench.k", "4096")) };
  const precision = setting("bench.precision", "fp16");
  const backends = presets?.backends.filter((one) => one.available) ?? [];
  const backend = backends.find((one) => one.name === setting("bench.backend"))?.name ?? backends[0]?.name;
  const valid = Object.values(shape).every((extent) => Number.isInteger(extent) && extent > 0);
  const names = formats?.filter((format) => format.arithmetic !== null).map((format) => format.name) ?? ["fp32", "fp16", "bf16", "fp8_e4m3", "int8"];

  // A preset of several shapes is run as it is; one of one shape fills the fields.
  const several = presets?.shapes.find((one) => one.key === setting("bench.preset") && one.shapes.length > 1);
  const pick = (key: string, shapes: Presets["shapes"][0]["shapes"]): void => {
    const [first] = shapes;
    set("bench.preset", shapes.length > 1 ? key : null);
    if (shapes.length > 1 || !first) return;
    (["m", "n", "k"] as const).forEach((name, at) => set(`bench.${name}`, String(first[at])));
  };

  const analyze = async (): Promise<void> => {
    setProblem(null);
    setBusy(true);
    try {
      const shapes = several?.shapes ?? [[shape.m, shape.n, shape.k] as const];
      refused.value = [];
      for (const [m, n, k] of shapes) {
        const request: PredictRequest = m === 1 ? { op: "gemv", n, k, precision, device } : { op: "gemm", m, n, k, precision, device };
        const answer = await source.ask<Document>("predict", request);
        add(predicted(answer));
        refused.value = [...refused.value, ...unsupported(answer)];
      }
      if (backend && setting("bench.measure") !== "no") {
        const { m, n, k } = shape;
        const asked = benchPrecision(precision, presets?.bench_precisions ?? []);
        const common = { precision: asked, backend: backend as "cpu" | "opencl" | "cuda" };
        if (several) await start({ kernel: "preset", preset: several.key as "sweep", ...common });
        else await start(m === 1 ? { kernel: "gemv", n, k, ...common } : { kernel: "gemm", m, n, k, ...common });
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };

  const all = points.value;
  const running = progress?.state === "running";
  const places = new Set(all.filter((point) => point.origin === "measured").map((point) => point.device));
  return (
    <Panel title="Kernel spot check" exports={{ name: "bench", svg: () => drawing.current(), json: () => all, command: several ? `eaves bench --preset ${several.key} --precision ${benchPrecision(precision, presets?.bench_precisions ?? [])}` : commandOf(shape, precision, device) }}>
      <div class="bench-work">
        {source.live ? (
          <form
            class="stack bench-form"
            onSubmit={(event) => {
              event.preventDefault();
              void analyze();
            }}
          >
            <fieldset>
              <legend>Shape</legend>
              <div class="chips">
                {presets?.shapes.map(({ key, shapes }) => {
                  const [first] = shapes;
                  const isIt = shapes.length > 1 ? several?.key === key : !several && first?.[0] === shape.m && first[1] === shape.n && first[2] === shape.k;
                  return (
                    <button type="button" class="chip-button" key={key} title={shapes.map((one) => one.join(" x ")).join(", ")} aria-pressed={isIt} onClick={() => pick(key, shapes)}>
                      {PRESET_WORDS[key] ?? key}
                      {shapes.length > 1 ? ` (${shapes.length})` : ""}
                    </button>
                  );
                })}
              </div>
              <div class="extents">
                {(["m", "n", "k"] as const).map((name) => (
                  <label key={name}>
                    <span class="quiet">{name.toUpperCase()}</span>
                    <input type="number" min="1" step="1" required value={shape[name] || ""} aria-label={name.toUpperCase()} onInput={(event) => (set(`bench.${name}`, event.currentTarget.value), set("bench.preset", null))} />
                  </label>
                ))}
              </div>
            </fieldset>
            <label class="field">
              <span class="quiet">Precision</span>
              <select value={precision} aria-label="Precision" onChange={(event) => set("bench.precision", event.currentTarget.value)}>
                <option value="all">Run all precisions</option>
                {names.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
            <DeviceField source={source} title="Device" label="Device of the prediction" device={device} choose={(id) => set("bench.device", id)} />
            {backends.length ? (
              <label class="check">
                <input type="checkbox" checked={setting("bench.measure") !== "no"} onChange={(event) => set("bench.measure", event.currentTarget.checked ? null : "no")} />
                <span>Measure here on</span>
                <select value={backend} aria-label="Backend" onChange={(event) => set("bench.backend", event.currentTarget.value)}>
                  {backends.map((one) => (
                    <option key={one.name}>{one.name}</option>
                  ))}
                </select>
              </label>
            ) : presets ? (
              <p class="quiet small">Nothing here can run kernels: {presets.backends.map((one) => `${one.name}: ${one.reason ?? "not available"}`).join("; ")}</p>
            ) : null}
            <div class="buttons">
              <button type="submit" class="button primary" disabled={!valid || busy || running}>
                {busy ? "Asking…" : "Analyze"}
              </button>
              {running ? (
                <button type="button" class="button" onClick={() => void cancel().catch((error: Error) => setProblem(error.message))}>
                  Stop
                </button>
              ) : null}
              <button type="button" class="button" disabled={!all.length} onClick={() => ((points.value = []), (refused.value = []))}>
                Clear
              </button>
            </div>
            {progress ? (
              <div role="status" class="small">
                <progress max={Math.max(1, progress.total)} value={progress.done} aria-label="Kernels measured" />
                <p>
                  {progress.state === "running" ? `${progress.done} of ${progress.total || "?"} measured${progress.next ? `, next ${progress.next}` : ""}` : progress.state === "done" ? `${counted(progress.done, "kernel")} measured` : `${progress.state} after ${progress.done}`}
                </p>
                {progress.errors.map((error, index) => (
                  <p key={index} class="warning-text">
                    {error}
                  </p>
                ))}
              </div>
            ) : null}
            {problem ? (
              <p class="warning-text" role="alert">
                {problem}
              </p>
            ) : null}
          </form>
        ) : (
          <NoServer has={all.length > 0} />
        )}
        <div class="chart-column">
          <BenchChart id="bench" points={all} roofs={roofs} drawing={(get) => (drawing.current = get)} />
          <Legend points={all} />
          {roofs.device && places.size ? (
            <p class="small warning-text">
              Roofs are those of {roofs.device}; measured on {[...places].join(", ")}.
            </p>
          ) : null}
        </div>
      </div>
      <Results points={all} />
      {refused.value.length ? (
        <details class="small">
          <summary>{counted(refused.value.length, "precision")} that the device does not compute in</summary>
          <ul>
            {refused.value.map((one, index) => (
              <li key={index}>
                <code>{one.precision}</code>: {one.reason}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </Panel>
  );
}

function commandOf({ m, n, k }: { m: number; n: number; k: number }, precision: string, device: string): string {
  const shape = m === 1 ? `gemv --n ${n} --k ${k}` : `gemm --m ${m} --n ${n} --k ${k}`;
  return `eaves predict ${shape} --precision ${precision} --device ${device}`;
}
