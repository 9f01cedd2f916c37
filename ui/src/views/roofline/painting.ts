// Marks on a canvas, where they are too many for elements, and back as elements for a file.

import { colour as token } from "../../kit/theme";
import { paint, shape } from "./marks";
import type { Scene, Spec, Spot } from "./scene";

const widths = new Map<string, number>();
let ruler: CanvasRenderingContext2D | null | undefined;

/** The width of a name as the style sheet draws it. */
export function measured(text: string): number {
  let width = widths.get(text);
  if (width === undefined) {
    if (ruler === undefined) {
      ruler = document.createElement("canvas").getContext("2d");
      if (ruler) ruler.font = `10.5px ${getComputedStyle(document.body).fontFamily}`;
    }
    width = ruler ? ruler.measureText(text).width + 1 : text.length * 6;
    if (widths.size > 5000) widths.clear();
    widths.set(text, width);
  }
  return width;
}

/** The colour of a spot: a token of the style sheet, or a colour. */
export function css(colour: string): string {
  return colour.startsWith("#") ? colour : `var(--${colour})`;
}

/** The largest first, so that none hides another. */
export function order(spots: readonly Spot[]): number[] {
  return spots.map((_, index) => index).sort((a, b) => (spots[b]?.radius ?? 0) - (spots[a]?.radius ?? 0));
}

export function paintAll(canvas: HTMLCanvasElement, drawn: Scene, spots: readonly Spot[]): void {
  const { width, height } = drawn.frame;
  const scale = Math.min(2, globalThis.devicePixelRatio || 1);
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const colours = new Map<string, string>();
  const resolve = (name: string): string => {
    let found = colours.get(name);
    if (found === undefined) {
      found = name.startsWith("#") ? name : token(name);
      colours.set(name, found);
    }
    return found;
  };
  const [edge, warning] = [resolve("surface"), resolve("critical")];
  for (const index of order(spots)) {
    const spot = spots[index];
    const at = drawn.at[index];
    if (!spot || !at) continue;
    context.globalAlpha = spot.dim ? 0.12 : 0.7;
    paint(context, at[0], at[1], spot, resolve(spot.colour), edge);
    if (spot.ring && !spot.dim) {
      context.setLineDash([]);
      context.strokeStyle = warning;
      context.lineWidth = 1.4;
      context.beginPath();
      context.arc(at[0], at[1], spot.radius + 3, 0, 2 * Math.PI);
      context.stroke();
    }
  }
}

/** The drawing with all its marks: what is painted on the screen stands in it until it was read. */
export function complete(drawing: SVGSVGElement, painted: Scene | null, spec: Spec): SVGSVGElement {
  if (!painted) return drawing;
  const make = (name: string, attributes: Record<string, string>): SVGElement => {
    const element = document.createElementNS(drawing.namespaceURI, name) as SVGElement;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const group = make("g", { class: "marks" });
  for (const index of order(spec.spots)) {
    const spot = spec.spots[index];
    const at = painted.at[index];
    if (!spot || !at) continue;
    const mark = make("path", { class: `mark ${spot.fill}`, d: shape(spot.symbol, spot.radius), transform: `translate(${at[0].toFixed(1)} ${at[1].toFixed(1)})` });
    mark.style.setProperty("--mark", css(spot.colour));
    mark.style.opacity = spot.dim ? "0.12" : "0.7";
    group.append(mark);
  }
  drawing.insertBefore(group, drawing.querySelector("text"));
  setTimeout(() => group.remove(), 0);
  return drawing;
}
