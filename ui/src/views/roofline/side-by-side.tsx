// Rooflines of several inputs side by side: the same filters and the same selection in each.

import { useMemo } from "preact/hooks";
import { all, label, only } from "../../kit/inputs";
import { Panel } from "../../kit/panel";
import { hideTip, showTip, TipLines } from "../../kit/tooltip";
import type { Document } from "../../source/document";
import { select, selected, settings, toggle } from "../../state";
import { adjusted } from "./adjust";
import { Chart } from "./chart";
import { adjustment, choices, shownPoints } from "./choices";
import { read } from "./data";
import { glance } from "./facts";
import { Legend } from "./legend";
import { specOf } from "./spec";

export function Beside({ document }: { document: Document }) {
  return (
    <div class="roofline rooflines">
      {all(document, "roofline").map((section, index) => (
        <One key={index} id={`roofline-${index}`} title={label(section) || String(index + 1)} document={only(document, "roofline", index)} />
      ))}
    </div>
  );
}

function One({ id, title, document }: { id: string; title: string; document: Document }) {
  const original = useMemo(() => read(document), [document]);
  const data = useMemo(() => adjusted(original, adjustment()), [original, settings.value]);
  const chosen = useMemo(() => choices(original), [original, settings.value]);
  const names = selected.value;
  const shown = useMemo(() => shownPoints(data.points, chosen, names), [data, chosen, names]);
  const spec = useMemo(() => specOf(data, chosen, new Set(shown), names), [data, chosen, shown, names]);
  const outlined = useMemo(() => new Set(data.points.filter((point) => names.has(point.name)).map((point) => point.index)), [data, names]);
  const choose = (index: number, more: boolean) => {
    const point = data.points[index];
    if (!point) {
      if (!more) select([]);
    } else if (more) toggle(point.name);
    else select(names.size === 1 && names.has(point.name) ? [] : [point.name]);
  };
  const hover = (index: number, at: { clientX: number; clientY: number } | null) => {
    const point = data.points[index];
    if (point && at) showTip(at, <TipLines title={point.name} lines={glance(point, data)} />);
    else hideTip();
  };
  return (
    <Panel title={title}>
      <Chart id={id} spec={spec} chosen={outlined} height={420} drawing={() => {}} choose={choose} hover={hover} />
      <Legend data={data} chosen={chosen} />
    </Panel>
  );
}
