// Peaks, bandwidths and thresholds under the hand: everything is classified anew while they move.

import { useEffect, useState } from "preact/hooks";
import { counted } from "../../format";
import { save, say } from "../../kit/export";
import type { Source } from "../../source";
import type { ConfigAnswer } from "../bench/requests";
import { type Adjustment, isAdjusted, moved, NONE } from "./adjust";
import { setAdjustment, setLimit, setRate } from "./choices";
import { LIMITS, type Limits } from "./classify";
import { checkConfig, type Parsed, parseConfig, toAdjustment, toConfig } from "./config";
import type { Data, RoofLine } from "./data";

interface Props {
  source: Source;
  /** As the document has it, and as it is changed. */
  document: Data;
  data: Data;
  adjustment: Adjustment;
}

/** A rate with a slider from a quarter to four times of what the document says. */
function Rate({ roof, now, unit, divisor }: { roof: RoofLine; now: number; unit: string; divisor: number }) {
  const change = (rate: number) => setRate(roof.name, rate === roof.rate || !(rate > 0) ? null : rate);
  const factor = Math.log2(now / roof.rate);
  return (
    <div class="rate">
      <label for={`rate-${roof.name}`}>
        {roof.name} <span class="quiet">{unit}</span>
      </label>
      <input id={`rate-${roof.name}`} type="number" min="0" step="any" value={Number((now / divisor).toPrecision(6))} onChange={(event) => change(event.currentTarget.valueAsNumber * divisor)} />
      <input
        type="range"
        min="-2"
        max="2"
        step="0.05"
        value={factor}
        aria-label={`${roof.name}: from a quarter to four times`}
        aria-valuetext={`${(now / roof.rate).toFixed(2)} times`}
        onInput={(event) => {
          const by = event.currentTarget.valueAsNumber;
          change(Math.abs(by) < 0.04 ? roof.rate : Number((roof.rate * 2 ** by).toPrecision(4)));
        }}
      />
      <span class={`times${now === roof.rate ? " quiet" : ""}`}>×{(now / roof.rate).toFixed(2)}</span>
    </div>
  );
}

const LIMIT_WORDS: Record<"bound" | "compute" | "memory", [string, string]> = {
  bound: ["Bound above", "A point is bound by a roof from this percentage of it"],
  memory: ["Memory inefficient below", "Left of the knee, a point is inefficient below this percentage of the bandwidth"],
  compute: ["Compute inefficient below", "Right of the knee, a point is inefficient below this percentage of the peak"],
};

function Limit({ name, now }: { name: keyof typeof LIMIT_WORDS; now: number }) {
  const [words, title] = LIMIT_WORDS[name];
  return (
    <div class="rate" title={title}>
      <label for={`limit-${name}`}>{words}</label>
      <input id={`limit-${name}`} type="number" min="0" max="100" step="1" value={now} onChange={(event) => setLimit(name, Math.max(0, Math.min(100, event.currentTarget.valueAsNumber || 0)))} />
      <input type="range" min="0" max="100" step="1" value={now} aria-label={words} onInput={(event) => setLimit(name, event.currentTarget.valueAsNumber)} />
      <span class={`times${now === LIMITS[name] ? " quiet" : ""}`}>%</span>
    </div>
  );
}

export function AdjustPanel({ source, document, data, adjustment }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const [all, setAll] = useState(false);
  const limits: Limits = { ...LIMITS, ...adjustment.limits };
  const changed = isAdjusted(adjustment);
  const { count, fixed } = moved(document.points, data.points);

  const apply = (parsed: Parsed, from: string): void => {
    if ("error" in parsed) {
      setProblem(`${from} was not applied: ${parsed.error}`);
      return;
    }
    setProblem(null);
    setAdjustment(toAdjustment(parsed.config, document));
    const defaults = parsed.defaults.length ? `; defaults for ${parsed.defaults.join(", ")}` : "";
    say(`${from} applied${defaults}`);
  };
  const failed = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
  const fromServer = async (): Promise<void> => {
    const answer = await source.ask<ConfigAnswer>("config");
    apply(checkConfig(answer.config), answer.path);
    if (answer.problem) setProblem(answer.problem);
  };
  // Whoever changes the file sees it here.
  useEffect(() => {
    if (!source.live) return;
    return source.listen("events", (message) => {
      if (message.kind === "config") fromServer().catch(failed);
    });
  }, [source, document]);
  const store = async (): Promise<void> => {
    const config = toConfig(data, limits);
    if (source.live) {
      const answer = await source.ask<ConfigAnswer>("config", config, "PUT");
      say(`Saved to ${answer.path}`);
    } else save("roofline_config.json", new Blob([`${JSON.stringify(config, null, 2)}\n`], { type: "application/json" }));
  };

  const used = (roof: RoofLine): boolean => all || document.used.has(roof.name) || adjustment.rates.has(roof.name);
  const now = (roof: RoofLine): number => adjustment.rates.get(roof.name) ?? roof.rate;
  const hidden = document.compute.length - document.compute.filter(used).length + Math.max(0, document.memory.length - 1);
  return (
    <div class="stack adjust">
      <fieldset>
        <legend>Peaks</legend>
        {document.compute.filter(used).map((roof) => (
          <Rate key={roof.name} roof={roof} now={now(roof)} unit={`T${roof.counts === "mac" ? "MAC" : data.counts === "OP" ? "OP" : "FLOP"}/s`} divisor={1e3} />
        ))}
        {document.compute.length === 0 ? <p class="quiet small">The device has no known peak.</p> : null}
      </fieldset>
      <fieldset>
        <legend>Bandwidth</legend>
        {document.memory.slice(0, all ? undefined : 1).map((roof) => (
          <Rate key={roof.name} roof={roof} now={now(roof)} unit="GB/s" divisor={1} />
        ))}
      </fieldset>
      {hidden > 0 || all ? (
        <button type="button" class="link small" onClick={() => setAll(!all)}>
          {all ? "Only roofs with points" : `${counted(hidden, "more roof")}`}
        </button>
      ) : null}
      <fieldset>
        <legend>Thresholds</legend>
        <Limit name="memory" now={limits.memory} />
        <Limit name="compute" now={limits.compute} />
        <Limit name="bound" now={limits.bound} />
      </fieldset>
      <p class="small" role="status">
        {changed ? `${counted(count, "point")} with a changed status${fixed ? `; ${fixed} keep its numbers` : ""}.` : "As in the document."}
      </p>
      <div class="buttons">
        <button type="button" class="button" disabled={!changed} onClick={() => (setAdjustment(NONE), setProblem(null))}>
          Reset
        </button>
        <button type="button" class="button" onClick={() => store().catch(failed)} title="roofline_config.json, which `eaves roofline --config` reads">
          Save config
        </button>
        {source.live ? (
          <button type="button" class="button" onClick={() => fromServer().catch(failed)}>
            Load config
          </button>
        ) : null}
        <label class="button file">
          {source.live ? "Load a file" : "Load config"}
          <input
            type="file"
            accept=".json,application/json"
            class="unseen"
            onChange={(event) => {
              const input = event.currentTarget;
              const file = input.files?.[0];
              if (!file) return;
              file
                .text()
                .then((text) => apply(parseConfig(text), file.name))
                .catch(failed)
                .finally(() => (input.value = ""));
            }}
          />
        </label>
      </div>
      {problem ? (
        <p class="warning-text small" role="alert">
          {problem}
        </p>
      ) : null}
    </div>
  );
}
