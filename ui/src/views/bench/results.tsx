// What the bench has gathered, as a legend and as rows, and what to start where there is no server.

import { duration, percent } from "../../format";
import { ratio, withUnit } from "../roofline/text";
import { type BenchPoint, colour, predictionOf } from "./points";

export function NoServer({ has }: { has: boolean }) {
  return (
    <div class="stack bench-form" role="note">
      <p>
        This page is a file, and predicting or running kernels needs the program. <code>eaves open FILE</code> starts a server that opens this page with all of it.
      </p>
      <p>
        On the command line: <code>eaves predict gemm --m 2048 --n 4096 --k 4096 --precision all --device h100-sxm</code>, <code>eaves bench gemv --n 4096 --k 4096 --precision all</code>.
      </p>
      <p class="quiet">{has ? "Measurements from this document and imported ones." : "The document has no measurements; you can still import points."}</p>
    </div>
  );
}

export function Legend({ points: all }: { points: readonly BenchPoint[] }) {
  const precisions = [...new Map(all.map((point) => [point.precision, point])).values()];
  const dot = (style: string) => (
    <svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">
      <circle r="5" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray={style} />
    </svg>
  );
  return (
    <div class="legend">
      <span>{dot("3 2")} predicted</span>
      <span>{dot("")} measured</span>
      <span>◇ imported</span>
      {precisions.map((point) => {
        const own = colour(point);
        return (
          <span key={point.precision}>
            <i class="swatch" style={{ "--mark": own.startsWith("#") ? own : `var(--${own})` }} /> {point.precision || "not said"}
          </span>
        );
      })}
    </div>
  );
}

/** All points as rows, predictions beside what was measured of the same kernel and precision. */
export function Results({ points: all }: { points: readonly BenchPoint[] }) {
  if (!all.length) return null;
  return (
    <div class="scroll bench-results">
      <table class="plain">
        <thead>
          <tr>
            {["Kernel", "Precision", "Origin", "Time", "Achieved", "Bandwidth", "Intensity", "Of its roof", "Of the prediction"].map((title, index) => (
              <th key={title} scope="col" class={index > 2 ? "num" : ""}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {all.slice(-200).toReversed().map((point, index) => {
            const prediction = predictionOf(point, all);
            return (
              <tr key={index}>
                <th scope="row">{point.name}</th>
                <td>{point.precision || "-"}</td>
                <td>{point.origin}</td>
                <td class="num">
                  {duration(point.time)}
                  {point.interval === null ? "" : ` ±${percent(point.interval)}`}
                </td>
                <td class="num">{withUnit(point.gflops * 1e9, "FLOP/s")}</td>
                <td class="num">{point.gbps === null ? "-" : withUnit(point.gbps * 1e9, "B/s")}</td>
                <td class="num">{ratio(point.intensity)} FLOP/B</td>
                <td class="num">{point.pct === null ? "-" : percent(point.pct)}</td>
                <td class="num">{prediction ? percent((100 * prediction.time) / point.time) : "-"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
