// One tooltip for the whole page, beside the pointer. Drawn by `TooltipLayer`, which the app holds once.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Tip {
  x: number;
  y: number;
  content: ComponentChildren;
}

const tip = signal<Tip | null>(null);

/** Shows something beside a place of the window. */
export function showTip(at: { clientX: number; clientY: number }, content: ComponentChildren): void {
  tip.value = { x: at.clientX, y: at.clientY, content };
}

export function hideTip(): void {
  if (tip.value) tip.value = null;
}

/** Where a box of a size stands beside a point so that all of it is inside the window. */
export function place(x: number, y: number, width: number, height: number, inner: { width: number; height: number }): [number, number] {
  const gap = 12;
  const left = x + gap + width > inner.width ? x - gap - width : x + gap;
  const top = y + gap + height > inner.height ? y - gap - height : y + gap;
  return [Math.max(4, Math.min(left, inner.width - width - 4)), Math.max(4, Math.min(top, inner.height - height - 4))];
}

export function TooltipLayer() {
  const box = useRef<HTMLDivElement>(null);
  const shown = tip.value;
  useLayoutEffect(() => {
    if (!box.current || !shown) return;
    const size = box.current.getBoundingClientRect();
    const [left, top] = place(shown.x, shown.y, size.width, size.height, { width: innerWidth, height: innerHeight });
    box.current.style.transform = `translate(${left}px, ${top}px)`;
  });
  if (!shown) return null;
  return (
    <div class="tooltip" role="tooltip" ref={box}>
      {shown.content}
    </div>
  );
}

/** Lines of a tooltip: names left, values right. */
export function TipLines({ title, lines }: { title: ComponentChildren; lines: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <>
      <strong>{title}</strong>
      <dl>
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
