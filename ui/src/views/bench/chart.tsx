// Points of the bench below roofs: hollow marks by precision, dashed where they are predicted, solid where they are measured.

import { useMemo, useRef, useState } from "preact/hooks";
import { duration, percent } from "../../format";
import { hideTip, showTip, TipLines } from "../../kit/tooltip";
import { Chart } from "../roofline/chart";
import type { Spec, Spot } from "../roofline/scene";
import { prefixed, ratio, withUnit } from "../roofline/text";
import { type BenchPoint, colour } from "./points";
import { peaksFor, plateaus, type Roofs } from "./roofs";

const WORDS = { predicted: "predicted", measured: "measured", imported: "imported" };

function lines(point: BenchPoint): [string, string][] {
  const found: [string, string][] = [
    ["", WORDS[point.origin]],
    ["Precision", point.precision || "not said"],
    ["Time", duration(point.time)],
    ["Achieved", withUnit(point.gflops * 1e9, "FLOP/s")],
    ["Intensity", `${ratio(point.intensity)} FLOP/B`],
  ];
  if (point.gbps !== null) found.push(["Bandwidth", withUnit(point.gbps * 1e9, "B/s")]);
  if (point.boundBy) found.push(["Bound by", point.boundBy]);
  if (point.pct !== null) found.push(["Of its roof", percent(point.pct)]);
  if (point.interval !== null) found.push(["95 % interval", `±${percent(point.interval)}`]);
  if (point.device) found.push(["On", point.device]);
  return [...found, ...point.more.map(([name, value]): [string, string] => [name, value])];
}

interface Props {
  id: string;
  points: readonly BenchPoint[];
  roofs: Roofs;
  height?: number;
  /** Radius and shape of a point, if not those of its origin. */
  look?: (point: BenchPoint) => Partial<Spot>;
  drawing?: (get: () => SVGSVGElement | null) => void;
}

export function BenchChart({ id, points, roofs, height = 430, look, drawing }: Props) {
  const [chosen, setChosen] = useState(-1);
  const outlined = useMemo(() => new Set(chosen >= 0 ? [chosen] : []), [chosen]);
  const last = useRef<readonly BenchPoint[]>(points);
  if (last.current !== points) {
    last.current = points;
    if (chosen >= points.length) setChosen(-1);
  }
  const spec = useMemo((): Spec => {
    const names = peaksFor(roofs, points.map((point) => point.precision), points.map((point) => point.boundBy));
    return {
      label: "Roofline of kernels. Arrow keys go from point to point, plus and minus zoom, u undoes, 0 shows all.",
      xName: "Intensity (FLOP/B)",
      yName: "Performance (FLOP/s)",
      knee: "FLOP/B",
      xText: ratio,
      yText: (value) => prefixed(value * 1e9),
      slopes: roofs.slopes,
      plateaus: plateaus(roofs, names.size ? names : new Set(roofs.peaks.keys())),
      gaps: false,
      spots: points.map((point): Spot => ({
        x: point.intensity,
        y: point.gflops,
        radius: point.origin === "measured" ? 6.5 : 5.5,
        symbol: point.origin === "imported" ? "diamond" : "circle",
        fill: "hollow",
        dashed: point.origin === "predicted",
        colour: colour(point),
        name: `${point.precision || point.name}`,
        weight: (point.origin === "measured" ? 1e18 : 0) + point.gflops,
        ring: false,
        ideal: null,
        ...look?.(point),
      })),
    };
  }, [points, roofs, look]);
  return (
    <Chart
      id={id}
      spec={spec}
      chosen={outlined}
      height={height}
      {...(drawing ? { drawing } : {})}
      choose={(index) => setChosen(index === chosen ? -1 : index)}
      hover={(index, at) => {
        const point = points[index];
        if (point && at) showTip(at, <TipLines title={point.name} lines={lines(point)} />);
        else hideTip();
      }}
    />
  );
}
