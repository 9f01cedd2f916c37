"use strict";
// Draws the trees that the element `data` holds. See html.rs for its form. Names of a trace reach the page as text
// only, never as markup.
(() => {
  const ROW = 19, NARROWEST = 0.35, PAD = 4;
  const by = (id) => document.getElementById(id);
  const data = JSON.parse(by("data").textContent);
  const canvas = by("canvas"), scroll = by("scroll"), tip = by("tip"), context = canvas.getContext("2d");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const CALLS = data.metrics.findIndex((metric) => metric.id === "calls");
  const CPU = data.metrics.findIndex((metric) => metric.id === "cpu");
  const WIDTHS = ["both", "new", "base"];
  const ROOT_KIND = 0, SMALL_KIND = data.kinds.length - 1;

  // Columns to what drawing needs: parents, the end of each subtree, totals, children.
  const views = data.views.map((view) => {
    const count = view.level.length;
    const parent = new Int32Array(count), end = new Int32Array(count), start = new Float64Array(count);
    const open = [];
    for (let i = 0; i < count; i++) {
      const level = view.level[i];
      while (open.length > level) end[open.pop()] = i;
      parent[i] = level ? open[level - 1] : -1;
      start[i] = view.time && i ? start[parent[i]] + view.start[i] : 0;
      open.push(i);
    }
    while (open.length) end[open.pop()] = count;
    const sum = (columns) => columns.map((own) => {
      const total = Float64Array.from(own);
      for (let i = total.length - 1; i > 0; i--) total[parent[i]] += total[i];
      return total;
    });
    const children = Array.from({ length: count }, () => []);
    for (let i = 1; i < count; i++) children[parent[i]].push(i);
    return { ...view, count, parent, end, start, children, total: sum(view.own),
      baseTotal: sum(view.base), grouped: new Map(view.grouped), layouts: new Map() };
  });
  const isDifference = views[0].baseTotal[0].length > 0;

  const state = { view: 0, metric: data.metric, width: 0, zoom: 0, chosen: 0, hover: -1, query: "" };
  let view = views[0], place = null, matched = null;

  // Amounts as people read them.
  const round = (number, digits) => number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  function scaled(number, units, step) {
    let at = 0;
    while (at < units.length - 1 && Math.abs(number) >= step) { number /= step; at++; }
    return `${round(number, at ? 2 : 0)} ${units[at]}`;
  }
  function amount(number, metric = state.metric) {
    switch (data.metrics[metric].unit) {
      case "ns": return Math.abs(number) >= 1e12 ? `${round(number / 1e9, 0)} s` : scaled(number, ["ns", "µs", "ms", "s"], 1000);
      case "B": return scaled(number, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
      default: return round(number, 0);
    }
  }
  const percent = (part, whole) => whole > 0 ? `${round(100 * part / whole, part && part / whole < 0.001 ? 3 : 1)}%` : "-";
  function change(now, before) {
    if (!before) return now ? "new" : "-";
    if (!now) return "gone";
    const tenths = Math.round(1000 * (now - before) / before);
    return `${tenths > 0 ? "+" : ""}${round(tenths / 10 || 0, 1)}%`;
  }

  // How wide a frame is: what it has, or what both runs have together.
  function weights(metric) {
    const now = view.total[metric];
    if (!isDifference || state.width === 1) return now;
    const before = view.baseTotal[metric];
    return state.width === 2 ? before : now.map((value, i) => value + before[i]);
  }

  // Where each frame is, in units of the metric. Host time in order of time is drawn where it was.
  function layout() {
    const key = `${state.metric} ${state.width}`;
    if (view.layouts.has(key)) return view.layouts.get(key);
    const { children, count, kind, start } = view;
    const width = Float64Array.from(weights(state.metric)), left = new Float64Array(count);
    const begin = Float64Array.from(start);
    const byClock = view.time && state.metric === CPU;
    const isPlace = (i) => kind[i] === ROOT_KIND;
    const sideBySide = (i) => !byClock || i === 0 || children[i].some(isPlace);
    if (byClock) {
      for (let i = count - 1; i >= 0; i--) {
        if (!isPlace(i)) continue;
        if (sideBySide(i)) { width[i] = children[i].reduce((sum, child) => sum + width[child], 0); continue; }
        const drawn = children[i].filter((child) => width[child] > 0);
        if (!drawn.length) { width[i] = 0; continue; }
        begin[i] = Infinity;
        let last = -Infinity;
        for (const child of drawn) {
          begin[i] = Math.min(begin[i], begin[child]);
          last = Math.max(last, begin[child] + width[child]);
        }
        width[i] = last - begin[i];
      }
    }
    const order = children.map((list) => view.time ? list : [...list].sort((a, b) =>
      (kind[a] === SMALL_KIND) - (kind[b] === SMALL_KIND) || width[b] - width[a] || a - b));
    for (let i = 0; i < count; i++) {
      let next = left[i];
      const clock = !sideBySide(i);
      for (const child of order[i]) {
        left[child] = clock ? left[i] + Math.max(0, begin[child] - begin[i]) : next;
        next += width[child];
      }
    }
    const made = { left, width, order };
    view.layouts.set(key, made);
    return made;
  }

  const nameOf = (i) => data.names[view.name[i]];
  const kindOf = (i) => data.kinds[view.kind[i]];
  const visible = (i) => i >= 0 && i < view.count && place.width[i] > 0;

  function fill(i) {
    if (!isDifference) { const kind = kindOf(i); return [dark.matches ? kind.dark : kind.light, "#111"]; }
    const now = view.total[state.metric][i], before = view.baseTotal[state.metric][i], larger = Math.max(now, before);
    const share = larger > 0 ? (now - before) / larger : 0;
    const found = data.changes.find((step) => share <= step.most) || data.changes[data.changes.length - 1];
    return [found.fill, found.text];
  }

  let letter = 7, pending = 0;
  function draw() {
    pending = 0;
    const ratio = devicePixelRatio || 1;
    const [wide, high] = [scroll.clientWidth, scroll.clientHeight];
    canvas.style.height = `${high}px`;
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "11.5px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
    context.textBaseline = "middle";
    letter = context.measureText("M").width;
    context.clearRect(0, 0, wide, high);
    const top = scroll.scrollTop, { left, width } = place;
    const scale = wide / (width[state.zoom] || 1), from = left[state.zoom];
    // The last column of each row in which a narrow frame was drawn: many of them share one.
    const narrow = [];
    for (let i = 0; i < view.count; i++) {
      const w = width[i] * scale, x = (left[i] - from) * scale, y = view.level[i] * ROW - top;
      // What is not to be seen hides everything below it.
      if (!w || x + w < 0 || x > wide || y > high) { i = view.end[i] - 1; continue; }
      if (y + ROW < 0) continue;
      if (w < NARROWEST) {
        const column = Math.floor(x);
        if (narrow[view.level[i]] !== column) frame(i, column, y, 1, 0.45);
        narrow[view.level[i]] = column;
        continue;
      }
      const x0 = Math.max(x, 0), w0 = Math.min(x + w, wide) - x0;
      frame(i, x0, y, w0, 1);
    }
    if (visible(state.chosen) && document.activeElement === canvas) outline(state.chosen, scale, from, top, 2.5);
    if (visible(state.hover)) outline(state.hover, scale, from, top, 1.25);
  }
  function frame(i, x, y, w, strength) {
    const [colour, ink] = fill(i);
    const around = view.end[state.zoom] > state.zoom && i < state.zoom && view.end[i] > state.zoom;
    context.globalAlpha = strength * ((matched && !matched[view.name[i]]) ? 0.28 : around ? 0.6 : 1);
    context.fillStyle = colour;
    context.fillRect(x, y, w > 2 ? w - 1 : w, ROW - 1);
    const letters = Math.floor((w - 2 * PAD) / letter);
    if (letters >= 3) {
      const name = nameOf(i);
      context.fillStyle = matched && !matched[view.name[i]] && dark.matches ? "#ddd" : ink;
      context.fillText(name.length > letters ? `${name.slice(0, letters - 1)}…` : name, x + PAD, y + ROW / 2);
    }
    context.globalAlpha = 1;
  }
  function outline(i, scale, from, top, weight) {
    const x = Math.max((place.left[i] - from) * scale, 0), y = view.level[i] * ROW - top;
    const w = Math.min((place.left[i] - from + place.width[i]) * scale, scroll.clientWidth) - x;
    if (w < 0) return;
    context.strokeStyle = dark.matches ? "#fff" : "#000";
    context.lineWidth = weight;
    context.strokeRect(x + weight / 2, y + weight / 2, Math.max(w - 1 - weight, 1), ROW - 1 - weight);
  }
  const redraw = () => { pending ||= requestAnimationFrame(draw); };

  // What is at a point of the canvas.
  function at(event) {
    const box = canvas.getBoundingClientRect();
    const level = Math.floor((event.clientY - box.top + scroll.scrollTop) / ROW);
    const value = place.left[state.zoom] + (event.clientX - box.left) / box.width * place.width[state.zoom];
    let i = 0;
    while (view.level[i] < level) {
      const child = place.order[i].find((child) => place.left[child] <= value && value < place.left[child] + place.width[child]);
      if (child === undefined) return -1;
      i = child;
    }
    return visible(i) ? i : -1;
  }

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function describe(i) {
    const whole = view.total[state.metric];
    const parts = [nameOf(i)];
    if (isDifference) {
      const [now, before] = [whole[i], view.baseTotal[state.metric][i]];
      parts.push(`${amount(before)} before, ${amount(now)} now (${change(now, before)})`);
    } else {
      parts.push(`${amount(whole[i])}, ${percent(whole[i], whole[0])} of all`);
      if (!view.inverted) parts.push(`${amount(view.own[state.metric][i])} of its own`);
    }
    return parts.join(" – ");
  }

  function showTip(i, event) {
    tip.replaceChildren(element("b", nameOf(i)));
    const table = element("table");
    const line = (...cells) => {
      const row = element("tr");
      cells.forEach((cell, at) => row.append(element(at ? "td" : "th", cell)));
      table.append(row);
    };
    if (isDifference) line("", "before", "now", "change");
    else line("", ...view.inverted ? ["of the callee"] : ["total", "of its own"], "of all", "of view");
    data.metrics.forEach((metric, m) => {
      if (!view.total[m][0] && !(isDifference && view.baseTotal[m][0])) return;
      const [total, own] = [view.total[m], view.own[m][i]];
      if (isDifference) line(metric.title, amount(view.baseTotal[m][i], m), amount(total[i], m), change(total[i], view.baseTotal[m][i]));
      else line(metric.title, amount(total[i], m), ...view.inverted ? [] : [amount(own, m)], percent(total[i], total[0]), percent(total[i], total[state.zoom]));
    });
    const grouped = view.grouped.get(i);
    tip.append(table, element("div", grouped ? `${round(grouped, 0)} small frames` : kindOf(i).label));
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, innerWidth - width - 8);
    const below = event.clientY + 18, y = below + height > innerHeight - 8 ? event.clientY - height - 12 : below;
    tip.style.left = `${Math.max(x, 8)}px`;
    tip.style.top = `${Math.max(y, 8)}px`;
  }
  const hideTip = () => { tip.hidden = true; if (state.hover >= 0) { state.hover = -1; redraw(); } };

  function zoom(i) {
    if (!visible(i)) i = 0;
    state.zoom = state.chosen = i;
    hideTip();
    showPath();
    search();
    say(i);
    redraw();
  }
  const back = () => { if (state.zoom) zoom(view.parent[state.zoom]); };
  const say = (i) => { by("status").textContent = describe(i); };

  function showPath() {
    const ids = [];
    for (let i = state.zoom; i >= 0; i = view.parent[i]) ids.unshift(i);
    const shown = ids.length > 7 ? [ids[0], ids[1], -1, ...ids.slice(-4)] : ids;
    by("path").replaceChildren(...shown.flatMap((i, at) => {
      const link = i < 0 ? element("span", "…") : element("button", nameOf(i), { type: "button", title: nameOf(i) });
      if (i >= 0) link.onclick = () => zoom(i);
      if (i === state.zoom) link.setAttribute("aria-current", "true");
      return at ? [element("span", "›"), link] : [link];
    }));
  }

  // The share of what is shown that is in frames whose names match; a frame in another is not counted twice.
  function search() {
    const field = by("search"), found = by("found");
    state.query = field.value;
    field.removeAttribute("aria-invalid");
    matched = null;
    found.textContent = "";
    if (state.query) {
      let pattern;
      try { pattern = new RegExp(state.query, "i"); } catch (error) {
        field.setAttribute("aria-invalid", "true");
        found.textContent = "no regular expression";
      }
      if (pattern) {
        matched = data.names.map((name) => pattern.test(name));
        const width = weights(state.metric);
        let sum = 0, frames = 0;
        for (let i = state.zoom, until = 0; i < view.end[state.zoom]; i++) {
          if (!matched[view.name[i]] || !width[i]) continue;
          frames++;
          if (i >= until) { sum += width[i]; until = view.end[i]; }
        }
        found.textContent = `${percent(sum, width[state.zoom])} matched, ${round(frames, 0)} frame${frames === 1 ? "" : "s"}`;
      }
    }
    remember();
    redraw();
  }

  function remember() {
    const parts = new URLSearchParams({ view: view.id, metric: data.metrics[state.metric].id });
    if (state.query) parts.set("q", state.query);
    if (state.zoom) parts.set("at", state.zoom);
    try { history.replaceState(null, "", `#${parts}`); } catch { /* some places forbid it */ }
  }
  function recall() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const index = (list, id) => list.findIndex((entry) => entry.id === id);
    const [v, m] = [index(views, parts.get("view")), index(data.metrics, parts.get("metric"))];
    if (v >= 0) state.view = v;
    if (m >= 0 && has(m)) state.metric = m;
    by("search").value = parts.get("q") || "";
    return Number(parts.get("at")) || 0;
  }

  const has = (metric) => views[0].total[metric][0] > 0 || (isDifference && views[0].baseTotal[metric][0] > 0);

  // A row of buttons of which one is pressed.
  function choice(id, titles, key, enabled = () => true) {
    const buttons = titles.map((title, index) => {
      const button = element("button", title, { type: "button" });
      button.disabled = !enabled(index);
      button.onclick = () => { state[key] = index; show(key === "view" ? 0 : state.zoom); };
      by(id).append(button);
      return button;
    });
    return () => buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(state[key] === index)));
  }
  const press = [
    choice("metrics", data.metrics.map((metric) => metric.title), "metric", has),
    choice("views", views.map((view) => view.title), "view"),
    choice("widths", ["both runs", "new run", "base run"], "width"),
  ];
  by("widths").hidden = !isDifference;

  function showLegend() {
    const entries = isDifference
      ? data.changes.map((step, i) => [step.fill, i === 0 ? "much less than before" : i === 4 ? "the same" : i === 8 ? "much more than before" : ""])
      : data.kinds.filter((_, index) => view.kind.includes(index)).map((kind) => [dark.matches ? kind.dark : kind.light, kind.label]);
    by("legend").replaceChildren(...entries.map(([colour, label]) => {
      const item = element("li"), swatch = element("i");
      swatch.style.background = colour;
      item.append(swatch, label);
      return item;
    }));
  }

  function show(at) {
    view = views[state.view];
    place = layout();
    press.forEach((update) => update());
    by("height").style.height = `${(1 + view.level.reduce((most, level) => Math.max(most, level), 0)) * ROW}px`;
    by("notes").replaceChildren(...view.notes.map((note) => element("li", note)));
    showLegend();
    zoom(at);
  }

  // Keys: up and down the tree, along the siblings that can be seen.
  function move(key) {
    const i = state.chosen, parent = view.parent[i];
    if (key === "ArrowUp") return parent;
    if (key === "ArrowDown") return place.order[i].find(visible) ?? -1;
    if (parent < 0) return -1;
    const siblings = place.order[parent].filter(visible);
    return siblings[siblings.indexOf(i) + (key === "ArrowRight" ? 1 : -1)] ?? -1;
  }
  canvas.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow")) {
      const next = move(event.key);
      if (next >= 0) {
        state.chosen = next;
        const y = view.level[next] * ROW;
        if (y < scroll.scrollTop) scroll.scrollTop = y;
        if (y + ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = y + ROW - scroll.clientHeight;
        say(next);
        redraw();
      }
    } else if (event.key === "Enter" || event.key === " ") zoom(state.chosen);
    else return;
    event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    const inField = event.target === by("search");
    if (event.key === "Escape" && inField) { by("search").value = ""; search(); canvas.focus(); }
    else if (inField || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "/") by("search").focus();
    else if (event.key === "Escape" || event.key === "Backspace") back();
    else if (event.key === "Home") zoom(0);
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("mousemove", (event) => {
    const i = at(event);
    if (i !== state.hover) { state.hover = i; redraw(); if (i >= 0) say(i); }
    if (i < 0) tip.hidden = true; else showTip(i, event);
  });
  canvas.addEventListener("mouseleave", hideTip);
  canvas.addEventListener("click", (event) => { const i = at(event); if (i >= 0) zoom(i); });
  canvas.addEventListener("focus", redraw);
  canvas.addEventListener("blur", redraw);
  scroll.addEventListener("scroll", redraw);
  by("search").addEventListener("input", search);
  dark.addEventListener("change", () => { showLegend(); redraw(); });
  new ResizeObserver(redraw).observe(scroll);

  by("inputs").textContent = data.inputs.join(" · ");
  by("inputs").title = data.inputs.join("\n");
  show(recall());
})();
