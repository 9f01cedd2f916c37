// The point that is chosen: what it is, what usually causes that, what it loses, and where every number comes from.

import { duration, percent } from "../../format";
import { Explained } from "../../kit/explain";
import { palette } from "./choices";
import { statusColour } from "./spec";
import type { Data, Point } from "./data";
import { facts, formulas, provenance, record } from "./facts";
import { fillOf } from "./marks";
import { meaning } from "./meanings";
import { ratio } from "./text";

export function Swatch({ status }: { status: string }) {
  return <i class={`swatch ${fillOf(status)}`} style={{ "--mark": `var(--${statusColour(status, palette())})` }} aria-hidden="true" />;
}

export function Detail({ point, data, whole, close }: { point: Point; data: Data; whole: number | null; close(): void }) {
  const { is, causes, next } = meaning(point);
  const lines = formulas(point, data);
  const share = whole && point.time !== null ? ` · ${percent((100 * point.time) / whole)} of the time of all points` : "";
  return (
    <section class="point" aria-label={`About ${point.name}`} style={{ "--mark": `var(--${statusColour(point.status, palette())})` }}>
      <header>
        <h3>{point.name}</h3>
        <button type="button" class="icon" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      <div class="verdict">
        <p class="headline">
          <Swatch status={point.status} />
          <b>{point.status}</b>
          {point.flag ? (
            <b class="critical">above its roof, which is impossible</b>
          ) : point.pct === null ? null : (
            <Explained about={() => ({ title: "Of its roof", text: percent(point.pct ?? 0), exact: `${point.pct} %`, formula: lines.find((line) => line.startsWith("of its roof")) ?? "", provenance: "formula", section: "roofline", table: "points" })}>
              <b>{percent(point.pct)}</b> of its roof
            </Explained>
          )}
          {point.headroom !== null && point.headroom > 0 ? (
            <Explained about={() => ({ title: "Headroom", text: duration(point.headroom ?? 0), exact: `${point.headroom} ns`, formula: "Headroom over all calls: the time saved if it reached its roof.", provenance: "formula", section: "roofline", table: "points" })}>
              <b>{duration(point.headroom)}</b> headroom
            </Explained>
          ) : null}
          <span class="quiet">
            {point.time === null ? "no time" : duration(point.time)}
            {share}
          </span>
        </p>
        {point.flag ? (
          <p class="warning-text" role="alert">
            <b>A data problem, not a fast kernel.</b> Likely: {point.flag}.
          </p>
        ) : (
          <>
            <p>{is}</p>
            {causes.length ? (
              <p>
                <span class="quiet">Usual causes: </span>
                {causes.join("; ")}.
              </p>
            ) : null}
            <p>{next}</p>
          </>
        )}
        {point.knee !== null ? (
          <p class="quiet">
            Its knee is at {ratio(point.knee)} {data.counts}/B: left of it movement bounds, right of it arithmetic.
          </p>
        ) : null}
        {point.dataEfficiency !== null && point.dataEfficiency < 95 ? (
          <p class="warning-text">
            Only {percent(point.dataEfficiency)} of the bytes that were moved had to be: the rest was read again, or moved with what was needed.
          </p>
        ) : null}
        {point.adjustable ? null : <p class="quiet">Its numbers come from the document and do not follow changed roofs, because they rely on counters.</p>}
      </div>
      <dl class="point-facts">
        {facts(point, data)
          .filter(([name]) => name !== "Status")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <div class="more">
        <details>
          <summary>Derivation</summary>
          <pre>{lines.join("\n")}</pre>
        </details>
        <details>
          <summary>Sources</summary>
          <dl class="lines">
            {provenance(point, data).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
        {point.record ? (
          <details>
            <summary>Raw record</summary>
            <pre>{record(point.record)}</pre>
          </details>
        ) : null}
      </div>
    </section>
  );
}
