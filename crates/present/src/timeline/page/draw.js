// The canvases.
const plot = byId("plot"), map = byId("map"), scroll = byId("scroll");
const dark = matchMedia("(prefers-color-scheme: dark)");
let ratio = 1, width = 0, viewHeight = 0, theme, colours, letter = 6.5, pending = false;

// A colour for every name: that of its class, a little lighter or darker.
function paint() {
  const ctx = plot.getContext("2d"), sample = "ampere_bf16_s16816gemm_ReduceOp<BFloat16, func>";
  ctx.font = "11px system-ui, sans-serif";
  letter = (1.03 * ctx.measureText(sample).width) / sample.length;
  const style = getComputedStyle(document.documentElement);
  theme = Object.fromEntries(["back", "text", "quiet", "line", "mark", "hit"].map((key) => [key, style.getPropertyValue(`--${key}`)]));
  colours = head.names.map((text, index) => {
    let hash = 0;
    for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0;
    const shade = 1.04 - (Math.abs(hash) % 5) * 0.045;
    const hex = head.classes[head.class[index]][dark.matches ? 2 : 1];
    const [r, g, b] = [1, 3, 5].map((at) => Math.min(255, Math.round(parseInt(hex.slice(at, at + 2), 16) * shade)));
    return { r, g, b, css: `rgb(${r},${g},${b})` };
  });
}

const plotWidth = () => width - GUTTER;
const xOf = (time) => GUTTER + ((time - view.from) / (view.to - view.from)) * plotWidth();
const timeAt = (x) => view.from + ((x - GUTTER) / plotWidth()) * (view.to - view.from);

function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    drawPlot();
    drawMap();
  });
}

function context(canvas, wide, high) {
  canvas.style.width = `${wide}px`;
  canvas.style.height = `${high}px`;
  if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) {
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = theme.back;
  ctx.fillRect(0, 0, wide, high);
  return ctx;
}

// Round times: 1, 2, 5, 10, ...
function ticks(from, to, most) {
  const rough = (to - from) / most;
  let step = 10 ** Math.floor(Math.log10(rough));
  step *= rough / step > 5 ? 10 : rough / step > 2 ? 5 : rough / step > 1 ? 2 : 1;
  const [unit, size] = unitOf(step >= 1 ? Math.max(Math.abs(from), Math.abs(to)) : 1);
  const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
  const found = [];
  for (let index = Math.ceil(from / step); index * step <= to; index++) {
    found.push([index * step, index ? `${((index * step) / size).toFixed(digits)} ${unit}` : "0"]);
  }
  return found;
}

function cut(text, room) {
  // By the usual width of a letter; measuring each would cost more than drawing it.
  const most = Math.floor(room / letter);
  return text.length <= most ? text : most > 4 ? `${text.slice(0, most - 1)}…` : "";
}

const strip = document.createElement("canvas");

// What is narrower than a few pixels goes into a strip of one texel a pixel; the rest are rectangles. So a frame costs
// pixels and a look at the entries in view, whatever their number.
function drawRows(ctx, visible) {
  const wide = Math.max(1, Math.round(plotWidth() * ratio)), scale = wide / (view.to - view.from);
  const image = new ImageData(wide, Math.max(1, visible.length));
  const cover = new Float32Array(wide), longest = new Float64Array(wide), chosen = new Int32Array(wide);
  const wider = [];
  const { matches } = state;
  visible.forEach((line, index) => {
    const { row } = line;
    cover.fill(0);
    longest.fill(-1);
    for (let entry = after(row, view.from); entry < row.to && start[entry] < view.to; entry++) {
      const x = (start[entry] - view.from) * scale, size = (end[entry] - start[entry]) * scale;
      if (size >= 3) {
        wider.push(entry, line);
        continue;
      }
      const at = Math.max(0, Math.min(wide - 1, Math.floor(x)));
      const dense = count[entry] > 1 && size > 0 ? busy[entry] / (end[entry] - start[entry]) : 1;
      // What was searched for shows before what is longer.
      const weight = end[entry] - start[entry] + (matches && matches[name[entry]] ? 1e18 : 0);
      for (let pixel = at; pixel <= Math.min(wide - 1, Math.floor(x + size)); pixel++) {
        cover[pixel] += dense * Math.max(0.05, Math.min(x + size, pixel + 1) - Math.max(x, pixel));
        if (weight > longest[pixel]) {
          longest[pixel] = weight;
          chosen[pixel] = entry;
        }
      }
    }
    const pixels = image.data.subarray(index * wide * 4, (index + 1) * wide * 4);
    for (let pixel = 0; pixel < wide; pixel++) {
      if (longest[pixel] < 0) continue;
      const { r, g, b } = colours[name[chosen[pixel]]];
      const faded = matches && !matches[name[chosen[pixel]]] ? 0.2 : 1;
      pixels.set([r, g, b, 255 * faded * (0.35 + 0.65 * Math.min(1, cover[pixel]))], pixel * 4);
    }
  });
  strip.width = image.width;
  strip.height = image.height;
  strip.getContext("2d").putImageData(image, 0, 0);
  ctx.imageSmoothingEnabled = false;
  visible.forEach((line, index) => {
    ctx.drawImage(strip, 0, index, wide, 1, GUTTER, line.top + 1, plotWidth(), ROW - 2);
  });
  ctx.textBaseline = "middle";
  ctx.font = "11px system-ui, sans-serif";
  for (let at = 0; at < wider.length; at += 2) drawWide(ctx, wider[at], wider[at + 1]);
}

function drawWide(ctx, entry, line) {
  const from = Math.max(GUTTER, xOf(start[entry])), to = Math.min(width, xOf(end[entry]));
  const faded = state.matches && !state.matches[name[entry]];
  ctx.globalAlpha = faded ? 0.2 : count[entry] > 1 ? 0.55 : 1;
  ctx.fillStyle = colours[name[entry]].css;
  // A hair between neighbours.
  const size = Math.max(1, to - from - (to - from > 4 ? 0.5 : 0));
  ctx.fillRect(from, line.top + 1, size, ROW - 2);
  ctx.globalAlpha = faded ? 0.45 : 1;
  if (size > 26) {
    ctx.fillStyle = theme.text;
    ctx.fillText(cut(labelOf(entry), size - 6), from + 3, line.top + ROW / 2 + 0.5);
  }
  ctx.globalAlpha = 1;
  if (state.matches && !faded) {
    ctx.strokeStyle = theme.hit;
    ctx.strokeRect(from + 0.5, line.top + 1.5, size - 1, ROW - 3);
  }
}

function drawCounter(ctx, { counter, top }) {
  const { points } = counter;
  let least = 0, most = 0;
  for (const [, value] of points) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const base = top + COUNTER, scale = (COUNTER - 8) / (most - least || 1);
  ctx.beginPath();
  ctx.moveTo(xOf(points[0][0]), base);
  points.forEach(([time, value], index) => {
    const until = index + 1 < points.length ? points[index + 1][0] : whole.to;
    const y = base - (value - least) * scale;
    ctx.lineTo(xOf(time), y);
    ctx.lineTo(xOf(until), y);
  });
  ctx.lineTo(xOf(whole.to), base);
  ctx.save();
  ctx.clip();
  ctx.globalAlpha = 0.35;
  ctx.fillStyle = head.classes[OPERATOR][dark.matches ? 2 : 1];
  ctx.fillRect(GUTTER, top, plotWidth(), COUNTER);
  ctx.restore();
  ctx.strokeStyle = theme.line;
  ctx.strokeRect(GUTTER, base - 0.5, plotWidth(), 0);
  counter.most = amount(most, counter.bytes);
}

function drawArrows(ctx, arrows, top) {
  const place = (entry) => {
    const row = rowOf(entry);
    // Of a hidden row the last one above it that is shown.
    const shown = row.track.rows.findLast((other) => other.from <= row.from && lineOf.has(other));
    return lines[lineOf.get(shown)].y - top + ROW / 2;
  };
  ctx.strokeStyle = ctx.fillStyle = theme.mark;
  ctx.lineWidth = 1.5;
  for (const [from, to] of arrows) {
    const x1 = xOf(start[from] + Math.min(end[from] - start[from], (view.to - view.from) * 0.01)), y1 = place(from);
    const x2 = xOf(start[to]), y2 = place(to), bend = Math.max(24, Math.abs(x2 - x1) / 2);
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x2, y2);
    ctx.lineTo(x2 - 7, y2 - 4);
    ctx.lineTo(x2 - 7, y2 + 4);
    ctx.fill();
  }
  ctx.lineWidth = 1;
}

function outline(ctx, entry, top, line) {
  const place = lines[lineOf.get(rowOf(entry))];
  if (!place) return;
  const from = xOf(start[entry]);
  ctx.lineWidth = line;
  ctx.strokeStyle = theme.text;
  ctx.strokeRect(from, place.y - top + 1, Math.max(1, xOf(end[entry]) - from), ROW - 2);
  ctx.lineWidth = 1;
}

function drawSteps(ctx, top) {
  ctx.fillStyle = theme.quiet;
  ctx.strokeStyle = theme.quiet;
  ctx.globalAlpha = 0.5;
  ctx.setLineDash([2, 3]);
  for (const rank of head.ranks) {
    let free = GUTTER;
    for (const [, from] of rank.steps) {
      const x = Math.round(xOf(from)) + 0.5;
      if (x < free || x > width) continue;
      ctx.beginPath();
      ctx.moveTo(x, Math.max(AXIS, rank.top - top));
      ctx.lineTo(x, rank.bottom - top);
      ctx.stroke();
      free = x + 40;
    }
  }
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

function drawAxis(ctx) {
  ctx.fillStyle = theme.back;
  ctx.fillRect(0, 0, width, AXIS);
  ctx.font = "11px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  ctx.strokeStyle = theme.line;
  for (const [time, label] of ticks(view.from, view.to, plotWidth() / 110)) {
    const x = Math.round(xOf(time)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(x, 14);
    ctx.lineTo(x, AXIS);
    ctx.stroke();
    ctx.fillStyle = theme.quiet;
    ctx.fillText(label, x + 4, 17);
  }
  ctx.font = "600 10px system-ui, sans-serif";
  ctx.fillStyle = theme.mark;
  let free = -1;
  for (const [number, from, to] of head.ranks[0]?.steps ?? []) {
    const x = Math.max(GUTTER, xOf(from)) + 4, label = `step ${number}`;
    if (x < free || xOf(to) < GUTTER + 40 || x > width) continue;
    ctx.fillText(label, x, 6);
    free = x + label.length * 6 + 8;
  }
  ctx.strokeRect(0, AXIS - 0.5, width, 0);
}

function drawNames(ctx, shown) {
  ctx.fillStyle = theme.back;
  ctx.fillRect(0, AXIS, GUTTER, viewHeight);
  ctx.textBaseline = "middle";
  for (const line of shown) {
    if (line.heading) {
      ctx.font = `600 ${line.strong ? 13 : 11}px system-ui, sans-serif`;
      ctx.fillStyle = line.strong ? theme.text : theme.quiet;
      ctx.fillText(cut(line.heading, width), line.strong ? 4 : 8, line.top + line.size / 2 + 1);
    } else if (line.counter) {
      ctx.font = "11px system-ui, sans-serif";
      ctx.fillStyle = theme.text;
      ctx.fillText(cut(line.counter.name, GUTTER - 24), 18, line.top + 14);
      ctx.fillStyle = theme.quiet;
      ctx.fillText(`up to ${line.counter.most ?? ""}`, 18, line.top + 29);
    } else if (line.label) {
      ctx.font = "11px system-ui, sans-serif";
      ctx.fillStyle = line.first ? theme.text : theme.quiet;
      const mark = !line.first || line.track.rows.length < 2 ? "" : state.folded.has(line.track) ? "▸" : "▾";
      ctx.fillText(mark, 6, line.top + ROW / 2 + 0.5);
      ctx.fillText(cut(line.label, GUTTER - 24), 18, line.top + ROW / 2 + 0.5);
    }
  }
  ctx.strokeStyle = theme.line;
  ctx.strokeRect(GUTTER - 0.5, 0, 0, viewHeight);
}

function drawPlot() {
  const top = scroll.scrollTop;
  const ctx = context(plot, width, viewHeight);
  const shown = lines.filter((line) => line.y + line.size > top + AXIS && line.y < top + viewHeight);
  for (const line of shown) line.top = line.y - top;
  drawSteps(ctx, top);
  drawRows(ctx, shown.filter((line) => line.row));
  for (const line of shown) if (line.counter) drawCounter(ctx, line);
  ctx.save();
  ctx.beginPath();
  ctx.rect(GUTTER, AXIS, plotWidth(), viewHeight);
  ctx.clip();
  if (state.hover >= 0) outline(ctx, state.hover, top, 1);
  if (state.selected >= 0) outline(ctx, state.selected, top, 2);
  drawArrows(ctx, state.arrows, top);
  if (state.hover >= 0 && state.hover !== state.selected) drawArrows(ctx, arrowsOf(state.hover, false), top);
  ctx.restore();
  drawNames(ctx, shown);
  drawAxis(ctx);
}

// The whole time, host above and devices below, with the window on it. Drawn once; only the window moves.
let overview = null;
function drawOverview(wide) {
  const high = 36, bands = [new Float32Array(wide), new Float32Array(wide)], colour = [new Int32Array(wide), new Int32Array(wide)];
  const scale = wide / (whole.to - whole.from);
  for (const row of data.rows) {
    if (row.depth || row.band !== 1) continue;
    const band = row.track.stream ? 1 : 0, cover = new Float32Array(wide);
    for (let entry = row.from; entry < row.to; entry++) {
      const dense = busy[entry] / (end[entry] - start[entry] || 1), from = (start[entry] - whole.from) * scale;
      const to = (end[entry] - whole.from) * scale;
      for (let pixel = Math.max(0, Math.floor(from)); pixel <= Math.min(wide - 1, Math.floor(to)); pixel++) {
        cover[pixel] += dense * (Math.min(to, pixel + 1) - Math.max(from, pixel));
        if (cover[pixel] > bands[band][pixel]) colour[band][pixel] = name[entry];
      }
    }
    cover.forEach((value, pixel) => (bands[band][pixel] = Math.max(bands[band][pixel], value)));
  }
  overview = document.createElement("canvas");
  const ctx = context(overview, wide, high);
  bands.forEach((values, band) => {
    values.forEach((value, pixel) => {
      if (!value) return;
      const size = Math.max(1, Math.min(1, value) * 15);
      ctx.fillStyle = colours[colour[band][pixel]].css;
      ctx.fillRect(pixel, 17 * (band + 1) - size, 1, size);
    });
  });
}

function drawMap() {
  const wide = Math.floor(plotWidth()), ctx = context(map, width, 44);
  if (wide < 1) return;
  if (!overview || overview.wide !== wide) {
    drawOverview(wide);
    overview.wide = wide;
  }
  ctx.drawImage(overview, GUTTER, 4, wide, 36);
  const x = (time) => GUTTER + ((time - whole.from) / (whole.to - whole.from)) * wide;
  const from = Math.max(GUTTER, x(view.from)), to = Math.min(width, x(view.to));
  ctx.fillStyle = theme.back;
  ctx.globalAlpha = 0.6;
  ctx.fillRect(GUTTER, 0, from - GUTTER, 44);
  ctx.fillRect(to, 0, width - to, 44);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = theme.mark;
  for (const [, from] of head.ranks[0]?.steps ?? []) ctx.strokeRect(Math.round(x(from)) + 0.5, 38, 0, 6);
  ctx.strokeStyle = theme.text;
  ctx.strokeRect(from + 0.5, 1.5, Math.max(2, to - from - 1), 41);
  ctx.font = "11px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  ctx.fillStyle = theme.quiet;
  ctx.fillText("host", 8, 14);
  ctx.fillText("devices", 8, 31);
}
