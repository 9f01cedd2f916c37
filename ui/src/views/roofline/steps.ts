// How points move from step to step: warming up, steady, throttled. A server has the roofline of each step.

import { useEffect, useMemo, useState } from "preact/hooks";
import { partOf } from "../../filtered";
import type { Source } from "../../source";
import { Cache } from "../../source/cache";
import { type Document, rows } from "../../source/document";
import { run } from "../../source/http";
import { matched } from "./baseline";
import type { Choices } from "./choices";
import { type Data, placeOf, read } from "./data";
import type { StepPlace } from "./drawing";

/** More steps are a cloud; of more, these are spread over all of them. */
const MOST = 12;

const answers = new Cache<Document>(4 * MOST);

/** The steps that trails go through, in order. */
export function stepsOf(document: Document): number[] {
  const all = [...new Set(rows(document, "steps", "by_step").flatMap((row) => (typeof row.step === "number" ? [row.step] : [])))].sort((a, b) => a - b);
  if (all.length <= MOST) return all;
  return Array.from({ length: MOST }, (_, at) => all[Math.round((at * (all.length - 1)) / (MOST - 1))]!);
}

/** The places of each point in the steps, by index; null until they are there, or where nobody wants them. */
export function useSteps(source: Source, whole: Document, data: Data, isOn: boolean, { device, level }: Pick<Choices, "device" | "level">): readonly StepPlace[][] | null {
  const [found, setFound] = useState<{ key: string; steps: readonly (readonly [number, Document])[] } | null>(null);
  const steps = useMemo(() => stepsOf(whole), [whole]);
  const { rank } = partOf("time and rank");
  const key = isOn && source.live ? JSON.stringify([run(), device, rank, steps]) : "";
  useEffect(() => {
    if (!key) return undefined;
    let isWanted = true;
    const ask = (step: number) => answers.get(source, `${key} ${step}`, () => source.ask<Document>("verbs/roofline", { inputs: [`run:${run()}`], step, ...(rank ? { rank } : {}), ...(device ? { device } : {}) }));
    void (async () => {
      const there: (readonly [number, Document])[] = [];
      for (const step of steps) {
        // A step without an answer is a gap.
        const answer = await ask(step).catch(() => null);
        if (!isWanted) return;
        if (answer) there.push([step, answer]);
        setFound({ key, steps: [...there] });
      }
    })();
    return () => {
      isWanted = false;
    };
  }, [source, key]);
  return useMemo(() => (found && found.key === key ? placesOf(data, found.steps.map(([step, document]) => [step, read(document)] as const), level) : null), [found, key, data, level]);
}

export function placesOf(data: Data, steps: readonly (readonly [number, Data])[], level: Choices["level"]): StepPlace[][] {
  const places: StepPlace[][] = data.points.map(() => []);
  for (const [step, of] of steps) {
    matched(data.points, of.points).forEach((point, at) => {
      const place = point && placeOf(point, level);
      if (place?.at === "chart" && !place.guess) places[at]!.push({ step, x: place.x, y: place.y });
    });
  }
  return places;
}
