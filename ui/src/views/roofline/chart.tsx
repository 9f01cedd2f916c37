// A log-log chart on the screen: zoomed by wheel, box and keys, moved by dragging, walked with the arrow keys. Few marks are
// SVG; many are painted on a canvas below it, so that moving them costs a frame and not a second.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { theme } from "../../kit/theme";
import { shape } from "./marks";
import { complete, css, measured, order, paintAll } from "./painting";
import { fit, nearest, next, type Scene, scene, type SceneLine, type Spec, type Spot, type Window } from "./scene";
import { cut, sensible, type Span, zoomed } from "./scale";
import { useWindow } from "./window";

/** More marks than these are painted. */
const MOST_ELEMENTS = 400;

interface Props {
  /** Under which the window is kept in the address. */
  id: string;
  spec: Spec;
  /** Indices that are outlined. */
  chosen: ReadonlySet<number>;
  /** In pixels, at most. */
  height: number;
  /** Takes the drawing for exports. */
  drawing?: (get: () => SVGSVGElement | null) => void;
  choose(index: number, more: boolean): void;
  hover(index: number, at: { clientX: number; clientY: number } | null): void;
}

interface Drag {
  x: number;
  y: number;
  from: Window;
  moved: boolean;
  boxed: boolean;
}

const ARROWS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function Chart({ id, spec, chosen, height: most, drawing, choose, hover }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  // On a narrow page a chart as tall as on a wide one would be a column.
  const height = Math.round(Math.max(300, Math.min(most, width * 0.95)));
  const [near, setNear] = useState(-1);
  const [box, setBox] = useState<[number, number, number, number] | null>(null);
  const [boxing, setBoxing] = useState(false);
  const [hint, setHint] = useState(false);
  const drag = useRef<Drag | null>(null);
  const lastWheel = useRef(0);
  const frame = useRef(0);
  const whole = useMemo(() => fit(spec), [spec]);
  const { window, past, show, undo } = useWindow(id);
  const shown: Window = window ?? whole;
  const drawn = useMemo(() => (width > 0 ? scene(spec, shown, whole, width, height, chosen, measured) : null), [spec, shown, whole, width, height, chosen]);
  const painted = spec.spots.length > MOST_ELEMENTS;

  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(() => requestAnimationFrame(measure));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const mode = theme.value;
  useLayoutEffect(() => {
    if (painted && drawn && canvas.current) paintAll(canvas.current, drawn, spec.spots);
  }, [painted, drawn, spec, mode]);
  useEffect(() => {
    drawing?.(() => (svg.current && drawn ? complete(svg.current, painted ? drawn : null, spec) : null));
  });

  const where = (event: { clientX: number; clientY: number }): [number, number] => {
    const rectangle = svg.current?.getBoundingClientRect();
    return [event.clientX - (rectangle?.left ?? 0), event.clientY - (rectangle?.top ?? 0)];
  };
  const share = ([x, y]: readonly [number, number]): [number, number] => {
    if (!drawn) return [0, 0];
    const { left, right, top, bottom } = drawn.frame;
    return [(x - left) / (right - left), (bottom - y) / (bottom - top)];
  };
  const zoom = (factor: number, at: readonly [number, number] = [0.5, 0.5], keep = true): void =>
    show({ x: zoomed(shown.x, factor, at[0]), y: zoomed(shown.y, factor, at[1]) }, keep);
  // One change for each frame, however many events there are.
  const soon = (act: () => void): void => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(act);
  };
  const lift = (index: number, at: { clientX: number; clientY: number } | null): void => {
    if (index !== near || index >= 0) hover(index, at);
    setNear(index);
  };

  const down = (event: PointerEvent): void => {
    if (event.button !== 0 || !drawn) return;
    const [x, y] = where(event);
    drag.current = { x, y, from: shown, moved: false, boxed: event.shiftKey !== boxing };
    svg.current?.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    if (!drawn) return;
    const [x, y] = where(event);
    const held = drag.current;
    if (!held) {
      lift(nearest(drawn, spec, x, y), event);
      return;
    }
    if (!held.moved) {
      if (Math.hypot(x - held.x, y - held.y) < 4) return;
      held.moved = true;
      past.current.push(window);
      lift(-1, null);
    }
    if (held.boxed) {
      setBox([Math.min(x, held.x), Math.min(y, held.y), Math.max(x, held.x), Math.max(y, held.y)]);
      return;
    }
    const { left, right, top, bottom } = drawn.frame;
    const dx = ((x - held.x) / (right - left)) * (held.from.x[1] - held.from.x[0]);
    const dy = ((y - held.y) / (bottom - top)) * (held.from.y[1] - held.from.y[0]);
    const moved = ([low, high]: Span, by: number): Span => [low + by, high + by];
    soon(() => show({ x: moved(held.from.x, -dx), y: moved(held.from.y, dy) }, false));
  };
  const up = (event: PointerEvent): void => {
    const held = drag.current;
    drag.current = null;
    setBox(null);
    if (!held || !drawn) return;
    const place = where(event);
    if (held.moved && held.boxed) {
      const [a, b] = [share([held.x, held.y]), share(place)];
      const next = { x: cut(held.from.x, a[0], b[0]), y: cut(held.from.y, a[1], b[1]) };
      if (sensible(next.x) && sensible(next.y)) show(next, false);
      else past.current.pop();
    } else if (!held.moved && event.type === "pointerup") {
      choose(nearest(drawn, spec, ...place), event.ctrlKey || event.metaKey || event.shiftKey);
    }
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !drawn) return;
    const arrow = ARROWS[event.key];
    if (arrow) {
      const to = next(drawn, spec, [...chosen][0] ?? -1, ...arrow);
      if (to >= 0) choose(to, false);
    } else if (event.key === "+" || event.key === "=") zoom(0.7);
    else if (event.key === "-") zoom(1 / 0.7);
    else if (event.key === "0") show(null, true);
    else if (event.key === "u") undo();
    else if (event.key === "b") setBoxing(!boxing);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const wheel = useRef<(event: WheelEvent) => void>(() => {});
  wheel.current = (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== svg.current) {
      setHint(true);
      return;
    }
    event.preventDefault();
    setHint(false);
    // Wheels give many small steps; together they are one step to undo.
    const keep = event.timeStamp - lastWheel.current > 400;
    lastWheel.current = event.timeStamp;
    zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), share(where(event)), keep);
  };
  useEffect(() => {
    const element = host.current;
    const hear = (event: WheelEvent) => wheel.current(event);
    element?.addEventListener("wheel", hear, { passive: false });
    return () => element?.removeEventListener("wheel", hear);
  }, []);

  const clip = `${id}-clip`;
  const outlined = [...chosen].slice(0, 300);
  return (
    <div class="plot" ref={host} style={{ height: `${height}px` }}>
      {painted ? <canvas ref={canvas} aria-hidden="true" /> : null}
      <svg
        ref={svg}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        tabindex={0}
        role="application"
        aria-label={spec.label}
        class={boxing ? "boxing" : ""}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
        onPointerLeave={() => (drag.current ? undefined : (lift(-1, null), setHint(false)))}
        onDblClick={() => show(null, true)}
        onKeyDown={press}
        onBlur={() => setHint(false)}
      >
        {drawn ? (
          <>
            <clipPath id={clip}>
              <rect x={drawn.frame.left} y={drawn.frame.top} width={Math.max(1, drawn.frame.right - drawn.frame.left)} height={drawn.frame.bottom - drawn.frame.top} />
            </clipPath>
            <Lines lines={drawn.lines.filter((line) => !line.class.startsWith("waste"))} clip={clip} />
            {painted ? null : <Marks drawn={drawn} spots={spec.spots} />}
            <Lines lines={drawn.lines.filter((line) => line.class.startsWith("waste"))} clip={clip} />
            {drawn.texts.map((text, index) => (
              <text key={index} class={text.class} x={text.x} y={text.y} text-anchor={text.anchor} transform={text.angle === undefined ? undefined : `rotate(${text.angle.toFixed(2)} ${text.x.toFixed(1)} ${text.y.toFixed(1)})`}>
                {text.text}
              </text>
            ))}
            {drawn.names.map((name) => (
              <g key={name.index} class="name">
                {name.leader ? <path class="leader" d={`M${name.leader[0].toFixed(1)} ${name.leader[1].toFixed(1)}L${name.leader[2].toFixed(1)} ${name.leader[3].toFixed(1)}`} /> : null}
                <text class="halo" x={name.box[0]} y={name.box[3] - 3}>
                  {name.text}
                </text>
              </g>
            ))}
            {[...outlined, ...(near >= 0 && !chosen.has(near) ? [near] : [])].map((index) => {
              const spot = spec.spots[index];
              const at = drawn.at[index];
              return spot && at ? <circle key={index} class={chosen.has(index) ? "outline" : "outline fine"} cx={at[0]} cy={at[1]} r={spot.radius + 4} /> : null;
            })}
            {box ? <rect class="box" x={box[0]} y={box[1]} width={box[2] - box[0]} height={box[3] - box[1]} /> : null}
          </>
        ) : null}
      </svg>
      <div class="plot-tools" role="toolbar" aria-label="Zoom">
        <button type="button" title="Zoom in (+)" aria-label="Zoom in" onClick={() => zoom(0.7)}>
          +
        </button>
        <button type="button" title="Zoom out (-)" aria-label="Zoom out" onClick={() => zoom(1 / 0.7)}>
          −
        </button>
        <button type="button" title="Drag draws a box to zoom into (b, or Shift while dragging)" aria-label="Drag a box" aria-pressed={boxing} onClick={() => setBoxing(!boxing)}>
          ⬚
        </button>
        <button type="button" title="Undo the last zoom (u)" aria-label="Undo zoom" disabled={past.current.length === 0} onClick={undo}>
          ↩
        </button>
        <button type="button" title="Show everything (0)" aria-label="Show all" disabled={window === null} onClick={() => show(null, true)}>
          All
        </button>
      </div>
      {hint ? <p class="plot-hint">Ctrl + wheel zooms, or click the chart first</p> : null}
    </div>
  );
}

function Lines({ lines, clip }: { lines: readonly SceneLine[]; clip: string }) {
  return (
    <>
      {lines.map((line, index) => (
        <path key={index} class={line.class} d={line.d} clip-path={line.clipped ? `url(#${clip})` : undefined} style={line.colour ? { stroke: css(line.colour) } : undefined} />
      ))}
    </>
  );
}

function Marks({ drawn, spots }: { drawn: Scene; spots: readonly Spot[] }) {
  const sorted = useMemo(() => order(spots), [spots]);
  const opacity = spots.length > 60 ? 0.85 : 1;
  return (
    <g class="marks" style={{ opacity }}>
      {sorted.map((index) => {
        const spot = spots[index];
        const at = drawn.at[index];
        if (!spot || !at) return null;
        return (
          <g key={index} data-spot={index} class={spot.dim ? "dimmed" : ""} transform={`translate(${at[0].toFixed(1)} ${at[1].toFixed(1)})`} style={{ "--mark": css(spot.colour) }}>
            <path class={`mark ${spot.fill}${spot.dashed ? " dashed" : ""}`} d={shape(spot.symbol, spot.radius)} />
            {spot.ring ? <circle class="ring" r={spot.radius + 3} /> : null}
          </g>
        );
      })}
    </g>
  );
}
