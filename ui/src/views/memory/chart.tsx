// Memory in use and reserved over time, with the peak, the limit, steps and requests that failed. A drag chooses the shared time.

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { bytes, duration } from "../../format";
import { ticks } from "../../kit/canvas";
import { colour, theme } from "../../kit/theme";
import { hideTip, showTip, TipLines } from "../../kit/tooltip";
import { range } from "../../state";
import { timeLabels } from "../timeline/axis";
import { lastUntil, type Series, span } from "./data";

const HEIGHT = 300;
/** Steps narrower than this are not named. */
const NAMED = 46;

/** Round sizes in powers of two. */
export function byteTicks(most: number, count: number): number[] {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log2(Math.max(1, most)) / 10));
  return ticks(0, most / unit, count).at.map((value) => value * unit);
}

/** Such a size beside its axis. */
export function byteLabel(value: number): string {
  return value === 0 ? "0" : bytes(value).replace(".0 ", " ");
}

/** The largest value to be drawn: of what was used and reserved, and of the limit if it is wanted. */
export function ceiling({ used, reserved, limit }: Series, withLimit: boolean): number {
  let most = 1;
  for (const value of used) if (value > most) most = value;
  for (const value of reserved) if (value !== null && value > most) most = value;
  return (withLimit && limit !== null ? Math.max(most, limit) : most) * 1.08;
}

function options(series: Series, width: number, withLimit: boolean): uPlot.Options {
  const axis = { stroke: () => colour("quiet"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { stroke: () => colour("line"), width: 1 }, font: "11px system-ui, sans-serif" };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const area = { ...(stepped ? { paths: stepped } : {}), points: { show: false } };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false },
    select: { show: true, left: 0, top: 0, width: 0, height: 0 },
    scales: { x: { time: false, range: () => span(series) }, y: { range: () => [0, ceiling(series, withLimit)] } },
    axes: [
      { ...axis, splits: (plot, _axis, from, to) => timeLabels(from, to, plot.width / 120).map(([time]) => time), values: (plot) => timeLabels(plot.scales.x?.min ?? 0, plot.scales.x?.max ?? 1, plot.width / 120).map(([, label]) => label) },
      { ...axis, size: 76, splits: (_plot, _axis, _from, to) => byteTicks(to, 6), values: (_plot, splits) => splits.map(byteLabel) },
    ],
    series: [
      {},
      { ...area, label: "Reserved", stroke: () => colour("c5"), width: 1.5, dash: [6, 3] },
      { ...area, label: "In use", stroke: () => colour("c1"), fill: () => `${colour("c1")}44`, width: 1.5 },
    ],
    hooks: {
      drawClear: [(plot) => drawSteps(plot, series)],
      draw: [(plot) => drawMarks(plot, series, withLimit)],
      setCursor: [(plot) => hover(plot, series)],
      setSelect: [
        (plot) => {
          const { left, width: wide } = plot.select;
          if (wide < 4) return;
          // The time that is looked at is drawn by `drawMarks`, wherever it was chosen.
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          range.value = [Math.round(plot.posToVal(left, "x") + series.start), Math.round(plot.posToVal(left + wide, "x") + series.start)];
        },
      ],
    },
  };
}

/** Every other step is shaded, and the time that is looked at is framed. */
function drawSteps(plot: uPlot, series: Series): void {
  const { ctx, bbox } = plot;
  const { left, top, width, height } = bbox;
  const x = (time: number) => Math.min(left + width, Math.max(left, plot.valToPos(time, "x", true)));
  ctx.save();
  ctx.font = `${10.5 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  series.steps.forEach(({ step, from, to }, index) => {
    const [start, end] = [x(from), x(to)];
    if (end <= start) return;
    ctx.fillStyle = colour("raised");
    if (index % 2 === 0) ctx.fillRect(start, top, end - start, height);
    ctx.fillStyle = colour("quiet");
    if (end - start > NAMED * devicePixelRatio) ctx.fillText(`step ${step}`, start + 5 * devicePixelRatio, top + 4 * devicePixelRatio);
  });
  ctx.restore();
}

function drawMarks(plot: uPlot, series: Series, withLimit: boolean): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const right = bbox.left + bbox.width;
  ctx.save();
  ctx.font = `600 ${11 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = "bottom";
  if (withLimit && series.limit !== null) {
    const y = plot.valToPos(series.limit, "y", true);
    ctx.strokeStyle = ctx.fillStyle = colour("critical");
    ctx.lineWidth = 1.5 * ratio;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(right, y);
    ctx.stroke();
    ctx.textAlign = "right";
    ctx.textBaseline = "top";
    ctx.fillText(`device limit ${bytes(series.limit)}`, right - 4 * ratio, y + 4 * ratio);
    ctx.textBaseline = "bottom";
  }
  ctx.strokeStyle = ctx.fillStyle = colour("critical");
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  for (const { time, asked } of series.failures) {
    const x = plot.valToPos(time, "x", true);
    if (x < bbox.left || x > right) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const isLeft = x > bbox.left + bbox.width / 2;
    ctx.textAlign = isLeft ? "right" : "left";
    ctx.fillText(`✕ ${bytes(asked)} refused`, x + (isLeft ? -5 : 5) * ratio, bbox.top + 34 * ratio);
  }
  ctx.setLineDash([]);
  if (series.peak) {
    const [x, y] = [plot.valToPos(series.peak.time, "x", true), plot.valToPos(series.peak.bytes, "y", true)];
    if (x >= bbox.left && x <= right) {
      ctx.fillStyle = colour("text");
      ctx.beginPath();
      ctx.arc(x, y, 4 * ratio, 0, 2 * Math.PI);
      ctx.fill();
      const isLeft = x > bbox.left + bbox.width * 0.7;
      const words = `peak ${bytes(series.peak.bytes)}`;
      const from = isLeft ? x - ctx.measureText(words).width - 8 * ratio : x + 8 * ratio;
      // What is behind it must not be read into it.
      ctx.fillStyle = colour("surface");
      ctx.globalAlpha = 0.8;
      ctx.fillRect(from - 3 * ratio, y - 15 * ratio, ctx.measureText(words).width + 6 * ratio, 15 * ratio);
      ctx.globalAlpha = 1;
      ctx.fillStyle = colour("text");
      ctx.textAlign = "left";
      ctx.fillText(words, from, y - 1 * ratio);
    }
  }
  const looked = range.peek();
  if (looked) {
    const [from, to] = looked.map((time) => Math.min(right, Math.max(bbox.left, plot.valToPos(time - series.start, "x", true)))) as [number, number];
    ctx.fillStyle = colour("surface");
    ctx.globalAlpha = 0.6;
    ctx.fillRect(bbox.left, bbox.top, from - bbox.left, bbox.height);
    ctx.fillRect(to, bbox.top, right - to, bbox.height);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colour("on");
    ctx.lineWidth = ratio;
    ctx.strokeRect(from, bbox.top, to - from, bbox.height);
  }
  ctx.restore();
}

function hover(plot: uPlot, series: Series): void {
  const { left, top } = plot.cursor;
  const time = left === undefined || left < 0 ? Number.NaN : plot.posToVal(left, "x");
  // A value holds until the next one, so the nearest point may be the wrong one.
  const idx = lastUntil(series.time, time);
  if (left === undefined || idx < 0) {
    hideTip();
    return;
  }
  const box = plot.over.getBoundingClientRect();
  const [used, reserved] = [series.used[idx]!, series.reserved[idx]];
  const step = series.steps.find(({ from, to }) => from <= time && time < to);
  const lines: [string, string][] = [["In use", bytes(used)]];
  if (reserved !== null && reserved !== undefined) lines.push(["Reserved", bytes(reserved)], ["Unused", bytes(Math.max(0, reserved - used))]);
  if (series.limit !== null) lines.push(["Limit", bytes(series.limit)]);
  if (step) lines.push(["Step", String(step.step)]);
  showTip({ clientX: box.left + left, clientY: box.top + (top ?? 0) }, <TipLines title={`At ${duration(time)}`} lines={lines} />);
}

export function Chart({ series, withLimit, onCanvas }: { series: Series; withLimit: boolean; onCanvas?(canvas: HTMLCanvasElement | null): void }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = place.current;
    if (!box) return undefined;
    const plot = new uPlot(options(series, box.clientWidth, withLimit), [series.time, series.reserved, series.used], box);
    onCanvas?.(plot.ctx.canvas);
    const watcher = new ResizeObserver(() => plot.setSize({ width: Math.max(120, box.clientWidth), height: HEIGHT }));
    watcher.observe(box);
    const stop = effect(() => {
      void [theme.value, range.value];
      plot.redraw(false);
    });
    const clear = () => (range.value = null);
    plot.over.addEventListener("dblclick", clear);
    plot.over.addEventListener("pointerleave", hideTip);
    return () => {
      stop();
      watcher.disconnect();
      plot.destroy();
      onCanvas?.(null);
      hideTip();
    };
  }, [series, withLimit]);
  return <div class="memory-chart" ref={place} role="img" aria-label={label(series)} />;
}

/** The picture in words. */
function label({ peak, limit, failures, time }: Series): string {
  const words = [`Memory over ${duration((time.at(-1) ?? 0) - (time[0] ?? 0))}`];
  if (peak) words.push(`peak ${bytes(peak.bytes)} at ${duration(peak.time)}`);
  if (limit !== null) words.push(`device limit ${bytes(limit)}`);
  if (failures.length) words.push(`${failures.length} requests failed`);
  return words.join(", ");
}
