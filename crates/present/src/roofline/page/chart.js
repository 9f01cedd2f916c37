// A log-log chart that can be zoomed and moved. Points are made once and moved; everything else is drawn anew.
const LEAST = 0.15;
const shapes = {
  circle: (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  square: (r) => polygon(4, r, Math.PI / 4), "triangle-up": (r) => polygon(3, r, -Math.PI / 2),
  diamond: (r) => polygon(4, r, 0), pentagon: (r) => polygon(5, r, -Math.PI / 2),
  star: (r) => {
    const outer = r * Math.sqrt(Math.PI / (2.5 * Math.sin(Math.PI / 5)));
    return corners(10, (i) => i % 2 ? outer / 2 : outer, -Math.PI / 2);
  },
};
const corners = (n, radius, first) => Array.from({ length: n }, (_, i) => {
  const angle = first + 2 * Math.PI * i / n;
  return `${i ? "L" : "M"}${(radius(i) * Math.cos(angle)).toFixed(2)} ${(radius(i) * Math.sin(angle)).toFixed(2)}`;
}).join("") + "z";
// The same area as a circle of that radius.
const polygon = (n, r, first) => corners(n, () => r * Math.sqrt(2 * Math.PI / (n * Math.sin(2 * Math.PI / n))), first);

function ticks(low, high, pixels, apart) {
  const decade = pixels / (high - low), step = Math.max(1, Math.ceil(apart / decade)), found = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power++) {
    for (let digit = 1; digit < 10; digit++) {
      const log = power + Math.log10(digit);
      if (log < low || log > high) continue;
      const named = digit === 1 ? power % step === 0 : (digit === 2 || digit === 5) && step === 1 && decade * 0.3 >= apart;
      if (named || digit === 1 || decade >= 24) found.push({ log, value: digit * 10 ** power, named });
    }
  }
  return found;
}

class Chart {
  // config: xName, yName, xText, yText, points [{x, y, radius, symbol, fill, colour, name, weight, flag, ideal, strip}],
  // slopes [{rate, name, main}], levels() [{rate, name, dashed}], choose(index), hover(index, event).
  constructor(host, config) {
    Object.assign(this, { host, config, past: [], chosen: -1, hidden: new Set() });
    this.svg = drawn("svg", { class: "live", tabindex: "0", role: "application", "aria-label": config.label });
    this.clip = `clip${Chart.made = (Chart.made || 0) + 1}`;
    const clip = drawn("clipPath", { id: this.clip });
    this.clipRect = clip.appendChild(drawn("rect"));
    this.back = drawn("g");
    this.lines = drawn("g", { "clip-path": `url(#${this.clip})` });
    this.marks = drawn("g");
    this.texts = drawn("g");
    this.svg.append(clip, this.back, this.lines, this.marks, this.texts);
    host.replaceChildren(this.svg);
    const many = config.points.length;
    this.marks.style.opacity = many > 400 ? 0.6 : many > 60 ? 0.85 : 1;
    this.items = config.points.map((point) => this.item(point));
    // The largest first, so that none hides another.
    const order = this.items.map((_, index) => index).sort((a, b) => config.points[b].radius - config.points[a].radius);
    for (const index of order) this.marks.append(this.items[index]);
    this.outline = drawn("path", { class: "outline", hidden: "" });
    this.svg.append(this.outline);
    this.fit();
    this.listen();
    // Drawing changes the height, which must not happen while sizes are told.
    new ResizeObserver(() => requestAnimationFrame(() => { if (this.host.clientWidth !== this.width) this.render(); })).observe(host);
  }
  item(point) {
    const group = drawn("g");
    group.append(drawn("path", { class: `mark ${point.fill}`, d: shapes[point.symbol] ? shapes[point.symbol](point.radius) : shapes.diamond(point.radius) }));
    if (point.flag) group.append(drawn("circle", { class: "ring", r: point.radius + 3, "stroke-width": 1.4 }));
    return group;
  }
  recolour() {
    this.config.points.forEach((point, index) => this.items[index].style.setProperty("--c", point.colour));
  }
  fit() {
    const inside = this.config.points.filter((point) => point.x > 0);
    const span = (values, above) => {
      const logs = values.filter((value) => value > 0).map(Math.log10);
      let low = logs.length ? Math.min(...logs) : 0, high = logs.length ? Math.max(...logs) : 0;
      const missing = Math.max(0, 1.1 - (high - low)) / 2;
      return [low - 0.22 - missing, high + above + missing];
    };
    const levels = this.config.levels();
    const main = this.config.slopes.find((slope) => slope.main);
    const knees = main ? levels.map((level) => level.rate / main.rate) : [];
    this.x = span([...inside.flatMap((point) => [point.x, point.ideal]), ...knees, ...knees.map((knee) => knee * 6)], 0.22);
    const upwards = this.config.points.filter((point) => point.strip !== "copies").map((point) => point.y);
    this.y = span([...upwards, ...levels.map((level) => level.rate)], 0.34);
    this.whole = [this.x, this.y];
    const copies = this.config.points.filter((point) => point.strip === "copies");
    this.band = copies.length ? span([...copies.map((point) => point.y), main?.rate], 0.22) : null;
    this.still = this.config.points.some((point) => point.strip === "still");
  }
  view(x, y, keep = true) {
    if (x[1] - x[0] < LEAST || y[1] - y[0] < LEAST || x[1] - x[0] > 40 || y[1] - y[0] > 40) return;
    if (keep) this.past.push([this.x, this.y]);
    if (this.past.length > 100) this.past.shift();
    [this.x, this.y] = [x, y];
    this.render();
  }
  reset() { this.view(...this.whole); }
  undo() { const last = this.past.pop(); if (last) { [this.x, this.y] = last; this.render(); } }
  zoom(factor, at = [0.5, 0.5]) {
    const scaled = ([low, high], share) => { const middle = low + (high - low) * share; return [middle - (middle - low) * factor, middle + (high - middle) * factor]; };
    this.view(scaled(this.x, at[0]), scaled(this.y, at[1]));
  }
  px(x) { return this.left + (Math.log10(x) - this.x[0]) / (this.x[1] - this.x[0]) * (this.right - this.left); }
  py(y) { return this.bottom - (Math.log10(y) - this.y[0]) / (this.y[1] - this.y[0]) * (this.bottom - this.top); }

  render() {
    const width = this.host.clientWidth;
    if (!width) return;
    const height = Math.round(Math.max(340, Math.min(this.config.tall || 620, width * 0.66)));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.height = `${height}px`;
    const strip = this.band ? 112 : 0;
    Object.assign(this, { width, height, left: 58 + strip, right: width - (this.still ? 62 : 10), top: 8, bottom: height - 42 });
    for (const [key, value] of Object.entries({ x: this.left, y: this.top, width: Math.max(1, this.right - this.left), height: this.bottom - this.top })) this.clipRect.setAttribute(key, value);
    this.grid();
    this.taken = [];
    this.drawnRoofs = [];
    this.roofs();
    this.put();
    this.label();
    this.mark(this.chosen);
  }
  text(parent, x, y, text, attributes = {}) { parent.append(drawn("text", { x, y, ...attributes }, text)); }
  grid() {
    const { left, right, top, bottom, config, back } = this;
    back.replaceChildren();
    const across = config.xTicks?.(this.x, right - left) || ticks(...this.x, right - left, 46), upwards = ticks(...this.y, bottom - top, 28);
    const at = (log, [low, high], from, to) => from + (log - low) / (high - low) * (to - from);
    for (const named of [false, true]) {
      const path = across.filter((tick) => tick.named === named).map((tick) => `M${at(tick.log, this.x, left, right)} ${top}V${bottom}`)
        .concat(upwards.filter((tick) => tick.named === named).map((tick) => `M${left} ${at(tick.log, this.y, bottom, top)}H${right}`));
      back.append(drawn("path", { class: named ? "grid" : "minor", d: path.join("") || "M0 0" }));
    }
    for (const tick of across.filter((tick) => tick.named)) this.text(back, at(tick.log, this.x, left, right), bottom + 15, config.xText(tick.value), { class: "dim", "text-anchor": "middle" });
    for (const tick of upwards.filter((tick) => tick.named)) this.text(back, left - 6, at(tick.log, this.y, bottom, top) + 4, config.yText(tick.value), { class: "dim", "text-anchor": "end" });
    back.append(drawn("path", { class: "frame", d: `M${left} ${top}H${right}V${bottom}H${left}z` }));
    this.text(back, (left + right) / 2, bottom + 34, config.xName, { class: "axis", "text-anchor": "middle" });
    back.append(drawn("text", { class: "axis", transform: `translate(${left - 46} ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, config.yName));
    if (this.band) {
      const [from, to] = [54, 54 + 50];
      back.append(drawn("rect", { class: "zone", x: from, y: top, width: to - from, height: bottom - top }));
      for (const tick of ticks(...this.band, bottom - top, 28).filter((tick) => tick.named)) {
        const y = at(tick.log, this.band, bottom, top);
        back.append(drawn("path", { class: "grid", d: `M${from} ${y}H${to}` }));
        this.text(back, from - 5, y + 4, config.yText(tick.value), { class: "dim", "text-anchor": "end" });
      }
      const main = config.slopes.find((slope) => slope.main);
      if (main) back.append(drawn("path", { class: "solid", d: `M${from} ${this.bandY(main.rate)}H${to}` }));
      this.text(back, (from + to) / 2, bottom + 15, "no arithmetic", { class: "dim", "text-anchor": "middle" });
      this.text(back, (from + to) / 2, bottom + 34, "B/s", { class: "axis", "text-anchor": "middle" });
    }
    if (this.still) {
      back.append(drawn("rect", { class: "zone", x: right + 8, y: top, width: 46, height: bottom - top }));
      this.text(back, right + 31, bottom + 15, "∞", { class: "dim", "text-anchor": "middle" });
      this.text(back, right + 31, bottom + 34, "no bytes", { class: "axis", "text-anchor": "middle" });
    }
  }
  bandY(y) { return this.bottom - (Math.log10(y) - this.band[0]) / (this.band[1] - this.band[0]) * (this.bottom - this.top); }
  roofs() {
    const { config, lines, texts, left, right } = this;
    lines.replaceChildren();
    texts.replaceChildren();
    const levels = config.levels(), main = config.slopes.find((slope) => slope.main);
    const highest = Math.max(0, ...levels.map((level) => level.rate)) || Infinity;
    const fastest = Math.max(0, ...config.slopes.map((slope) => slope.rate));
    for (const level of levels) {
      const y = this.py(level.rate), knee = main ? this.px(level.rate / main.rate) : left;
      if (main && fastest > main.rate) lines.append(drawn("path", { class: "dots", d: `M${this.px(level.rate / fastest)} ${y}H${knee}` }));
      const line = drawn("path", { class: level.dashed ? "dash" : "solid", d: `M${knee} ${y}H${right}` });
      if (level.colour) line.style.stroke = level.colour;
      lines.append(line);
      this.drawnRoofs.push([[knee, y], [right, y]]);
      this.write(level.name, right - 6, y - 5, "end");
      if (main) {
        lines.append(drawn("path", { class: "knot", d: shapes.diamond(3.2), transform: `translate(${knee} ${y})` }));
        this.write(`${config.xText(level.rate / main.rate)} ${config.knee}`, knee - 6, y - 6, "end");
      }
    }
    const angle = Math.atan2(-(this.bottom - this.top) / (this.y[1] - this.y[0]), (right - left) / (this.x[1] - this.x[0])) * 180 / Math.PI;
    for (const slope of config.slopes) {
      const log = Math.log10(slope.rate), end = Math.min(this.x[1], Math.log10(highest) - log), start = Math.max(this.x[0], this.y[0] - log);
      if (start >= end) continue;
      const spot = (x) => [this.px(10 ** x), this.py(10 ** (x + log))];
      const [from, to] = [spot(start), spot(end)];
      lines.append(drawn("path", { class: slope.main ? "solid" : "dash", d: `M${from}L${to}` }));
      this.drawnRoofs.push([from, to]);
      this.along(slope.name, from, to, angle);
    }
  }
  // A text along a slope, which is kept free of names.
  along(text, from, to, angle) {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]), width = text.length * 5.9;
    if (length < width + 30) return;
    const at = (share) => [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
    for (const share of [0.25, 0.4, 0.1, 0.55]) {
      const boxes = Array.from({ length: 9 }, (_, piece) => { const [x, y] = at(share + piece / 8 * width / length); return [x - 10, y - 18, x + 6, y]; });
      if (share + width / length > 1 || boxes.some((box) => this.hits(box))) continue;
      this.taken.push(...boxes);
      const [x, y] = at(share);
      this.texts.append(drawn("text", { class: "halo", transform: `translate(${x} ${y}) rotate(${angle}) translate(0 -5)` }, text));
      return;
    }
  }
  // True if a roof goes through an area.
  crossed(area) {
    return this.drawnRoofs.some(([from, to]) => {
      let first = 0, last = 1;
      const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
      for (const [step, room] of [[-dx, from[0] - area[0]], [dx, area[2] - from[0]], [-dy, from[1] - area[1]], [dy, area[3] - from[1]]]) {
        if (step === 0) { if (room < 0) return false; } else if (step < 0) first = Math.max(first, room / step); else last = Math.min(last, room / step);
      }
      return first <= last;
    });
  }
  // A text where nothing else is.
  write(text, x, y, anchor) {
    const width = text.length * 5.9, area = [anchor === "end" ? x - width : x, y - 10, anchor === "end" ? x : x + width, y + 3];
    if (area[0] < this.left || area[2] > this.right || area[1] < this.top || area[3] > this.bottom || this.hits(area)) return false;
    this.taken.push(area);
    this.text(this.texts, x, y, text, { class: "halo", "text-anchor": anchor });
    return true;
  }
  hits(area) { return this.taken.some((other) => area[0] < other[2] && other[0] < area[2] && area[1] < other[3] && other[1] < area[3]); }
  put() {
    const { config, items } = this;
    this.spots = config.points.map((point, index) => {
      let spot = null;
      if (!this.hidden.has(index)) {
        // Across a strip there is no scale; numbers spread what would lie on top of each other.
        const aside = ((index * 0.618034) % 1 - 0.5) * 28;
        if (point.strip === "copies") spot = [79 + aside, this.bandY(point.y)];
        else {
          const y = this.py(point.y), x = point.strip === "still" ? this.right + 31 + aside : this.px(point.x);
          const inside = y >= this.top && y <= this.bottom && (point.strip || (x >= this.left && x <= this.right));
          if (inside) spot = [x, y];
        }
      }
      items[index].style.display = spot ? "" : "none";
      if (spot) items[index].setAttribute("transform", `translate(${spot[0].toFixed(1)} ${spot[1].toFixed(1)})`);
      return spot;
    });
    // What was moved, and what had to be: for the chosen one, or for few.
    const shown = config.points.map((_, index) => index).filter((index) => this.spots[index] && config.points[index].ideal > config.points[index].x * 1.05);
    for (const index of shown.length > 40 ? shown.filter((index) => index === this.chosen) : shown) {
      const [x, y] = this.spots[index], to = this.px(config.points[index].ideal);
      this.taken.push([x, y - 3, to, y + 3]);
      this.lines.append(drawn("path", { class: "waste", d: `M${x} ${y}H${to}` }), drawn("path", { class: "waste", style: "stroke-dasharray:none", d: `M${to - 5} ${y - 3}l5 3l-5 3` }));
    }
  }
  // Names of the points with most time, where nothing else is.
  label() {
    const { config, spots } = this, many = config.points.length > 200;
    const order = config.points.map((_, index) => index).filter((index) => spots[index] && !config.points[index].strip)
      .sort((a, b) => config.points[b].weight - config.points[a].weight).slice(0, many ? 14 : 34);
    const boxes = many ? [] : spots.filter(Boolean);
    for (const index of order) {
      const [x, y] = spots[index], { name, radius } = config.points[index];
      const text = name.length > 26 ? `${name.slice(0, 12)}…${name.slice(-12)}` : name, width = text.length * 5.9;
      for (const [dx, dy, anchor] of [[radius + 4, 4, "start"], [-radius - 4, 4, "end"], [2, -radius - 5, "start"], [2, radius + 13, "start"], [-2, -radius - 5, "end"], [-2, radius + 13, "end"]]) {
        const start = anchor === "end" ? x + dx - width : x + dx, area = [start, y + dy - 10, start + width, y + dy + 3];
        const covers = boxes.some((spot) => spot !== spots[index] && spot[0] > area[0] - 3 && spot[0] < area[2] + 3 && spot[1] > area[1] - 3 && spot[1] < area[3] + 3);
        if (!covers && !this.crossed(area) && this.write(text, x + dx, y + dy, anchor)) {
          // Among many, those with a name are to be found.
          if (many) this.texts.append(drawn("circle", { class: "outline fine", cx: x, cy: y, r: radius + 1 }));
          break;
        }
      }
    }
  }
  mark(index) {
    this.chosen = index;
    const spot = this.spots?.[index];
    this.outline.style.display = spot ? "" : "none";
    if (!spot) return;
    this.outline.removeAttribute("hidden");
    this.outline.setAttribute("d", shapes.circle(this.config.points[index].radius + 4));
    this.outline.setAttribute("transform", `translate(${spot[0]} ${spot[1]})`);
  }
  nearest(x, y, most = 16) {
    let best = -1, least = most;
    this.spots.forEach((spot, index) => {
      if (!spot) return;
      const away = Math.max(0, Math.hypot(spot[0] - x, spot[1] - y) - this.config.points[index].radius * 0.7);
      if (away < least) { least = away; best = index; }
    });
    return best;
  }
  // The next point in a direction.
  next(dx, dy) {
    const from = this.spots[this.chosen];
    if (!from) return this.nearest(dx > 0 || dy > 0 ? this.left : this.right, dy > 0 ? this.top : this.bottom, Infinity);
    let best = this.chosen, least = Infinity;
    this.spots.forEach((spot, index) => {
      if (!spot || index === this.chosen) return;
      const [x, y] = [spot[0] - from[0], spot[1] - from[1]], along = x * dx + y * dy, across = Math.abs(x * dy) + Math.abs(y * dx);
      if (along > 0 && along + 2 * across < least) { least = along + 2 * across; best = index; }
    });
    return best;
  }
  listen() {
    const { svg, config } = this;
    const where = (event) => { const box = svg.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    const share = ([x, y]) => [(x - this.left) / (this.right - this.left), (this.bottom - y) / (this.bottom - this.top)];
    let drag = null, box = null;
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      drag = { at: where(event), x: this.x, y: this.y, moved: false, boxed: event.shiftKey };
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      const [x, y] = where(event);
      if (!drag) return config.hover(this.nearest(x, y), event);
      if (!drag.moved && Math.hypot(x - drag.at[0], y - drag.at[1]) < 4) return;
      if (!drag.moved) { this.past.push([this.x, this.y]); drag.moved = true; config.hover(-1); }
      if (drag.boxed) {
        box ||= svg.appendChild(drawn("rect", { class: "box" }));
        for (const [key, value] of Object.entries({ x: Math.min(x, drag.at[0]), y: Math.min(y, drag.at[1]), width: Math.abs(x - drag.at[0]), height: Math.abs(y - drag.at[1]) })) box.setAttribute(key, value);
        return;
      }
      svg.classList.add("moving");
      const dx = (x - drag.at[0]) / (this.right - this.left) * (drag.x[1] - drag.x[0]), dy = (y - drag.at[1]) / (this.bottom - this.top) * (drag.y[1] - drag.y[0]);
      this.view(drag.x.map((log) => log - dx), drag.y.map((log) => log + dy), false);
    });
    const end = (event) => {
      const was = drag;
      drag = null;
      svg.classList.remove("moving");
      if (box && was) {
        box.remove();
        box = null;
        const [a, b] = [share(was.at), share(where(event))];
        const cut = ([low, high], from, to) => [low + (high - low) * Math.min(from, to), low + (high - low) * Math.max(from, to)];
        this.view(cut(was.x, a[0], b[0]), cut(was.y, a[1], b[1]), false);
      } else if (was && !was.moved && event.type === "pointerup") config.choose(this.nearest(...where(event)));
    };
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", end);
    svg.addEventListener("pointerleave", () => { if (!drag) config.hover(-1); });
    svg.addEventListener("dblclick", () => this.reset());
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== svg) return;
      event.preventDefault();
      this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), share(where(event)));
    }, { passive: false });
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    svg.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (arrows[event.key]) config.choose(this.next(...arrows[event.key]));
      else if (event.key === "+" || event.key === "=") this.zoom(0.7);
      else if (event.key === "-") this.zoom(1 / 0.7);
      else if (event.key === "0") this.reset();
      else if (event.key === "u") this.undo();
      else if (event.key === "Escape") config.choose(-1);
      else return;
      event.preventDefault();
    });
  }
}
