// Marks: shapes by kind of operator, fillings by how near the roof something is, areas by its share of the time.

export type Fill = "full" | "half" | "hollow" | "open";
export type Symbol = "circle" | "square" | "triangle-up" | "diamond" | "pentagon" | "star" | "cross" | "x";

const TURN = 2 * Math.PI;

function corners(count: number, radius: (corner: number) => number, first: number): [number, number][] {
  return Array.from({ length: count }, (_, corner) => {
    const angle = first + (TURN * corner) / count;
    return [radius(corner) * Math.cos(angle), radius(corner) * Math.sin(angle)];
  });
}

/** Two crossed beams, each three times as long as wide: five squares have the area of the circle. */
function beams(r: number, turn: number): [number, number][] {
  const short = (r * Math.sqrt(Math.PI / 5)) / 2;
  const arm: [number, number][] = [[3 * short, -short], [3 * short, short], [short, short]];
  return Array.from({ length: 4 }, (_, quarter) => turn + (TURN * quarter) / 4).flatMap((angle) =>
    arm.map(([x, y]): [number, number] => [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)]),
  );
}

/** Corners of the shape with the area of a circle of that radius; none for the circle itself. */
function outline(symbol: string, r: number): [number, number][] {
  const polygon = (count: number, first: number) => {
    const outer = r * Math.sqrt(TURN / (count * Math.sin(TURN / count)));
    return corners(count, () => outer, first);
  };
  switch (symbol) {
    case "circle":
      return [];
    case "square":
      return polygon(4, Math.PI / 4);
    case "triangle-up":
      return polygon(3, -Math.PI / 2);
    case "pentagon":
      return polygon(5, -Math.PI / 2);
    case "star": {
      const outer = r * Math.sqrt(Math.PI / (2.5 * Math.sin(Math.PI / 5)));
      return corners(10, (corner) => (corner % 2 ? outer / 2 : outer), -Math.PI / 2);
    }
    case "cross":
      return beams(r, 0);
    case "x":
      return beams(r, Math.PI / 4);
    default:
      return polygon(4, 0);
  }
}

const kept = new Map<string, string>();

/** The shape as a path around 0, 0. */
export function shape(symbol: string, r: number): string {
  const key = `${symbol} ${r.toFixed(1)}`;
  let path = kept.get(key);
  if (path === undefined) {
    const points = outline(symbol, r);
    path = points.length
      ? `M${points.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}z`
      : `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    kept.set(key, path);
  }
  return path;
}

/** Draws the shape at a place of a canvas, as the style sheet draws it in SVG. */
export function paint(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  mark: { symbol: string; radius: number; fill: Fill },
  colour: string,
  edge: string,
): void {
  context.beginPath();
  const points = outline(mark.symbol, mark.radius);
  if (points.length === 0) context.arc(x, y, mark.radius, 0, TURN);
  else for (const [dx, dy] of points) context.lineTo(x + dx, y + dy);
  context.closePath();
  const alpha = context.globalAlpha;
  context.fillStyle = colour;
  context.globalAlpha = alpha * FILLINGS[mark.fill];
  context.fill();
  context.globalAlpha = alpha;
  context.setLineDash(mark.fill === "open" ? [2, 1.5] : []);
  context.lineWidth = mark.fill === "hollow" ? 1.6 : mark.fill === "full" ? 0.8 : 1;
  context.strokeStyle = mark.fill === "full" ? edge : colour;
  context.stroke();
}

/** How opaque fillings are; the style sheet has the same numbers. */
export const FILLINGS: Record<Fill, number> = { full: 1, half: 0.3, hollow: 0.06, open: 0 };

export function fillOf(status: string): Fill {
  if (status === "Compute Bound" || status === "Memory Bound") return "full";
  if (status === "Compute Inefficient" || status === "Memory Inefficient") return "hollow";
  return status === "Normal" ? "half" : "open";
}

/** The radius of something with this share of the time, among so many. Area goes with time, within bounds. */
export function radiusOf(share: number, many: number): number {
  const least = many > 800 ? 2 : many > 200 ? 2.6 : many > 24 ? 3.6 : 4.6;
  return Math.min(many > 200 ? 10 : 14, Math.max(least, 30 * Math.sqrt(Math.max(0, share))));
}

export const SYMBOL_WORDS: Record<string, string> = {
  circle: "matrix product",
  square: "convolution",
  "triangle-up": "elementwise",
  pentagon: "attention",
  diamond: "other",
  star: "something wrong",
  cross: "custom (cross)",
  x: "custom (x)",
};
