// One input: its chart, filters, table and the point that is chosen, all of one selection.
const tip = byId("tip");
function showTip(title, facts, event, remark, formulas = []) {
  tip.replaceChildren(element("b", {}, title));
  const list = element("dl");
  for (const [name, value] of facts) if (value && value !== "-") list.append(element("dt", {}, name), element("dd", {}, value));
  tip.append(list);
  if (remark) tip.append(element("div", { class: "warn" }, remark));
  for (const formula of formulas) tip.append(element("div", { class: "formula" }, formula));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${event.clientY + 18 + box.height > innerHeight ? Math.max(4, event.clientY - box.height - 10) : event.clientY + 18}px`;
}
const hideTip = () => { tip.hidden = true; };

const radius = (share, many) => Math.min(many > 200 ? 10 : 14, Math.max(many > 800 ? 2 : many > 200 ? 2.6 : many > 24 ? 3.6 : 4.6, 30 * Math.sqrt(share || 0)));
const tally = (points, key) => {
  const sums = new Map();
  for (const point of points) {
    const name = point[key] || "not said", sum = sums.get(name) || { count: 0, time: 0 };
    sums.set(name, { count: sum.count + 1, time: sum.time + (point.time_ns || 0) });
  }
  return [...sums].sort((a, b) => b[1].time - a[1].time || b[1].count - a[1].count);
};

class Input {
  constructor(host, data) {
    Object.assign(this, { host, data, off: { status: new Set(), kind: new Set(), dtype: new Set() }, query: "", share: 100, colourBy: "status", sort: ["time_ns", -1], all: false, chosen: -1 });
    const { points } = data;
    const total = points.reduce((sum, point) => sum + Math.max(0, point.time_ns || 0), 0);
    this.order = points.map((_, index) => index).sort((a, b) => (points[b].time_ns || 0) - (points[a].time_ns || 0));
    let sum = 0;
    this.reach = [];
    for (const index of this.order) { this.reach[index] = total ? 100 * sum / total : 0; sum += Math.max(0, points[index].time_ns || 0); }
    this.roofs = new Set(data.used);
    this.marks = points.map((point) => ({
      x: point.place?.x, y: point.place?.y, strip: point.place?.strip, radius: radius(total ? Math.max(0, point.time_ns || 0) / total : 0, points.length),
      symbol: point.symbol, fill: fillOf(point), name: point.name, weight: (point.time_ns || 0) + Math.max(0, point.headroom_ns || 0), flag: point.flag, ideal: point.place?.x ? point.ideal_intensity : null,
    }));
    this.build();
    this.chart = new Chart(this.plot, {
      label: "Roofline: arrow keys go from point to point, plus and minus zoom, 0 shows all",
      xName: `Intensity (${data.counts}/B)`, yName: `Performance (${data.counts}/s)`, knee: `${data.counts}/B`, xText: ratio, yText: (value) => prefixed(value * 1e9),
      points: this.marks, slopes: data.memory.map((roof, index) => ({ rate: roof.rate, name: `${roof.name} ${withUnit(roof.rate * 1e9, "B/s")}`, main: index === 0 })),
      levels: () => this.levels(), choose: (index) => this.choose(index), hover: (index, event) => this.hover(index, event),
    });
    this.colour();
    this.filter();
    this.choose(-1);
  }
  // Ceilings of one rate are one line.
  levels() {
    const levels = new Map();
    for (const roof of this.roofs) levels.set(roof.rate, [...(levels.get(roof.rate) || []), roof.name]);
    return [...levels].sort((a, b) => b[0] - a[0]).map(([rate, names]) => ({ rate, name: `${names.join(" / ")} ${withUnit(rate * 1e9, `${this.data.counts}/s`)}` }));
  }
  build() {
    const { points } = this.data;
    this.plot = this.host.querySelector(".plot");
    const search = element("input", { type: "search", placeholder: "Search names ( / )", "aria-label": "Search names" });
    search.addEventListener("input", () => { this.query = search.value.toLowerCase(); this.filter(); });
    const by = element("select", { "aria-label": "Colour by" }, ...[["status", "colour: status"], ["kind", "colour: kind"], ["dtype", "colour: type"]].map(([value, text]) => element("option", { value }, text)));
    by.addEventListener("change", () => { this.colourBy = by.value; this.colour(); });
    const button = (text, title, act) => { const made = element("button", { type: "button", title, "aria-label": title }, text); made.addEventListener("click", act); return made; };
    const slider = element("input", { type: "range", min: 1, max: 100, value: 100, "aria-label": "Points with the most time, up to this share of it" });
    const shown = element("span", {}, "all of the time");
    slider.addEventListener("input", () => { this.share = Number(slider.value); shown.textContent = this.share >= 100 ? "all of the time" : `top ${this.share}% of the time`; this.filter(); });
    this.found = element("span", { class: "quiet", role: "status" });
    this.host.querySelector(".bar").append(search, by, slider, shown, button("+", "Zoom in", () => this.chart.zoom(0.7)), button("−", "Zoom out", () => this.chart.zoom(1 / 0.7)), button("↩", "Undo the last zoom", () => this.chart.undo()), button("All", "Show everything", () => this.chart.reset()), this.found);
    const side = this.host.querySelector(".side");
    for (const [key, title] of [["status", "Status"], ["kind", "Kind"], ["dtype", "Type"]]) {
      const group = element("fieldset", {}, element("legend", {}, title));
      const found = tally(points, key);
      if (key === "status") found.sort((a, b) => STATUSES.indexOf(a[0]) - STATUSES.indexOf(b[0]));
      for (const [name, { count: number }] of found) group.append(this.box(name, number, true, (on) => { this.off[key][on ? "delete" : "add"](name); this.filter(); }, key === "status" ? name : null));
      if (points.length) side.append(group);
    }
    const group = element("fieldset", {}, element("legend", {}, "Roofs"));
    for (const roof of this.data.compute) group.append(this.box(roof.name, prefixed(roof.rate * 1e9), this.roofs.has(roof), (on) => { this.roofs[on ? "add" : "delete"](roof); this.chart.render(); }));
    if (this.data.compute.length) side.append(group);
    const words = Object.entries(SYMBOLS).filter(([symbol]) => points.some((point) => point.symbol === symbol)).map(([, text]) => text);
    if (points.some((point) => point.time_ns)) words.push("area: share of the time");
    if (points.some((point) => point.flag)) words.push("ring: above its roof");
    if (points.some((point) => point.ideal_intensity !== null)) words.push("arrow: to the intensity without needless bytes");
    if (points.some((point) => point.place?.guess)) words.push("dotted: no time, drawn at its roof");
    const nowhere = points.filter((point) => !point.place).length;
    if (nowhere) words.push(`${count(nowhere)} without time or roof not drawn`);
    this.plot.after(element("p", { class: "below" }, words.join(" · ")));
    this.detail = this.host.querySelector(".detail");
    this.table = this.host.querySelector(".points");
  }
  box(name, number, checked, change, status) {
    const input = element("input", { type: "checkbox" });
    input.checked = checked;
    input.addEventListener("change", () => change(input.checked));
    const label = element("label", {}, input);
    if (status !== null && status !== undefined) {
      const dot = element("i", { class: FILLS[status] || "open" });
      dot.style.setProperty("--c", statusColour(status));
      label.append(dot);
    }
    label.append(element("span", {}, name), element("span", { class: "count" }, typeof number === "number" ? count(number) : number));
    return label;
  }
  colour() {
    const names = this.colourBy === "status" ? [] : tally(this.data.points, this.colourBy).map(([name]) => name);
    this.data.points.forEach((point, index) => {
      const at = names.indexOf(point[this.colourBy] || "not said");
      this.marks[index].colour = this.colourBy === "status" ? statusColour(point.status) : at < 7 ? `var(--n${at})` : "var(--rest)";
    });
    this.chart.recolour();
  }
  filter() {
    const { points } = this.data;
    this.shown = this.order.filter((index) => {
      const point = points[index];
      return (this.share >= 100 || this.reach[index] < this.share) && ["status", "kind", "dtype"].every((key) => !this.off[key].has(point[key] || "not said")) && (!this.query || point.name.toLowerCase().includes(this.query));
    });
    const visible = new Set(this.shown);
    this.chart.hidden = new Set(points.map((_, index) => index).filter((index) => !visible.has(index)));
    const time = (list) => list.reduce((sum, index) => sum + (points[index].time_ns || 0), 0);
    const whole = time(this.order);
    this.found.textContent = `${count(this.shown.length)} of ${count(points.length)} points${whole ? `, ${percent(100 * time(this.shown) / whole)} of the time` : ""}`;
    this.chart.render();
    this.list();
  }
  columns() {
    const { counts } = this.data;
    return [
      ["name", "Name", null], ["status", "Status", null], ["kind", "Kind", null], ["dtype", "Type", null], ["calls", "Calls", count], ["time_ns", "Time", duration], ["intensity", `${counts}/B`, ratio],
      ["achieved_gflops", "Achieved", (rate) => rate === null ? "-" : withUnit(rate * 1e9, `${counts}/s`)], ["achieved_gbps", "Bandwidth", (rate) => rate === null ? "-" : withUnit(rate * 1e9, "B/s")],
      ["pct_of_roof", "Of roof", percent], ["bound_by", "Bound by", null], ["headroom_ns", "Headroom", duration],
    ].filter(([id]) => this.data.points.some((point) => point[id] !== null && point[id] !== ""));
  }
  list() {
    const MOST = 300, { points } = this.data, columns = this.columns(), [key, sign] = this.sort;
    const value = (index) => points[index][key];
    const order = [...this.shown].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      // What is missing stands last either way.
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return (typeof x === "number" ? x - y : String(x).localeCompare(String(y))) * sign || a - b;
    });
    const head = element("tr");
    for (const [id, title, format] of columns) {
      const cell = element("th", { scope: "col", class: format ? "num" : "", "aria-sort": id === key ? (sign > 0 ? "ascending" : "descending") : undefined });
      const button = element("button", { type: "button" }, title);
      button.addEventListener("click", () => { this.sort = [id, id === key ? -sign : format ? -1 : 1]; this.list(); });
      cell.append(button);
      head.append(cell);
    }
    const body = element("tbody");
    this.rows = new Map();
    for (const index of order.slice(0, this.all ? Infinity : MOST)) {
      const point = points[index], row = element("tr", { tabindex: "0", "aria-selected": String(index === this.chosen) });
      for (const [id, , format] of columns) {
        const content = point[id];
        if (id === "name") row.append(element("th", { scope: "row", class: "name", title: content ?? "" }, content ?? ""));
        else if (id === "status") {
          const dot = element("span", { class: `status ${FILLS[content] || "open"}` });
          dot.style.setProperty("--c", statusColour(content));
          row.append(element("td", {}, dot, content ?? ""));
        } else if (!format) row.append(element("td", {}, content ?? "-"));
        else {
          const cell = element("td", { class: `num${content === null ? " none" : ""}${id === "pct_of_roof" ? " share" : ""}` }, format(content) + (id === "pct_of_roof" && point.flag ? " !" : ""));
          if (id === "pct_of_roof") cell.style.setProperty("--part", `${Math.min(100, content || 0)}%`);
          row.append(cell);
        }
      }
      row.addEventListener("click", () => this.choose(index));
      row.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") this.choose(index);
        else if (event.key === "ArrowDown") row.nextElementSibling?.focus();
        else if (event.key === "ArrowUp") row.previousElementSibling?.focus();
        else return;
        event.preventDefault();
      });
      row.addEventListener("mouseenter", () => this.chart.mark(index));
      row.addEventListener("mouseleave", () => this.chart.mark(this.chosen));
      this.rows.set(index, row);
      body.append(row);
    }
    const table = element("table", {}, element("thead", {}, head), body);
    const parts = [element("div", { class: "scroll", role: "region", "aria-label": "Points", tabindex: "0" }, table)];
    if (!this.all && order.length > MOST) {
      const more = element("button", { type: "button" }, `Show ${count(order.length - MOST)} more`);
      more.addEventListener("click", () => { this.all = true; this.list(); });
      parts.push(element("p", { class: "below" }, more));
    }
    this.table.replaceChildren(...parts);
  }
  facts(point) {
    const { counts } = this.data, rate = (value) => value === null ? "-" : withUnit(value * 1e9, `${counts}/s`);
    return [
      ["Status", point.status], ["Of roof", percent(point.pct_of_roof)], ["Bound by", point.bound_by], ["Time", duration(point.time_ns)], ["Headroom", duration(point.headroom_ns)], ["Calls", count(point.calls)],
      ["Intensity", point.intensity === null ? "-" : `${ratio(point.intensity)} ${counts}/B`], ["Without waste", point.ideal_intensity === null ? "-" : `${ratio(point.ideal_intensity)} ${counts}/B`], ["Achieved", rate(point.achieved_gflops)], ["Roof", rate(point.roof_gflops)],
      ["Bandwidth", point.achieved_gbps === null ? "-" : withUnit(point.achieved_gbps * 1e9, "B/s")], ["FLOPs a call", withUnit(point.flops, "FLOP")], ["MACs a call", withUnit(point.macs, "MAC")], ["Bytes a call", bytes(point.bytes)],
      ["Data efficiency", percent(point.data_efficiency_pct)], ["To the knee (log10)", point.delta_log10_oi_to_knee === null ? "-" : point.delta_log10_oi_to_knee.toFixed(2)], ["Kind", point.kind], ["Type", point.dtype],
    ];
  }
  // How numbers follow from each other, with the numbers of the point.
  formulas(point) {
    const { counts } = this.data, lines = [], amount = counts === "MAC" ? point.macs : point.flops;
    if (point.intensity !== null && point.data_efficiency_pct === null) lines.push(`intensity = ${withUnit(amount, counts)} / ${bytes(point.bytes)} = ${ratio(point.intensity)} ${counts}/B`);
    if (point.intensity !== null && point.data_efficiency_pct !== null) lines.push(`intensity = ${withUnit(amount, counts)} / bytes that were moved = ${ratio(point.intensity)} ${counts}/B`);
    if (point.achieved_gflops !== null) lines.push(`achieved = ${withUnit(amount, counts)} × ${count(point.calls)} calls / ${duration(point.time_ns)} = ${withUnit(point.achieved_gflops * 1e9, `${counts}/s`)}`);
    if (point.roof_gflops !== null) lines.push(`roof = the least of the peak for its type and each bandwidth × intensity = ${withUnit(point.roof_gflops * 1e9, `${counts}/s`)}, by ${point.bound_by}`);
    if (point.pct_of_roof !== null) lines.push(`of roof = best time / time = ${percent(point.pct_of_roof)}; headroom = time − best time = ${duration(point.headroom_ns)}`);
    return lines;
  }
  hover(index, event) {
    for (const row of this.host.querySelectorAll("tr.near")) row.classList.remove("near");
    if (index < 0) return hideTip();
    const point = this.data.points[index];
    this.rows.get(index)?.classList.add("near");
    showTip(point.name, [...this.facts(point)], event, point.flag ? `Above its roof: ${point.flag}` : "", this.formulas(point));
  }
  choose(index) {
    this.rows?.get(this.chosen)?.setAttribute("aria-selected", "false");
    this.chosen = index;
    this.chart.chosen = index;
    this.chart.render();
    const row = this.rows?.get(index);
    row?.setAttribute("aria-selected", "true");
    // The table scrolls, not the page.
    const frame = row?.closest(".scroll");
    if (frame && (row.offsetTop < frame.scrollTop + 30 || row.offsetTop + row.offsetHeight > frame.scrollTop + frame.clientHeight)) frame.scrollTop = row.offsetTop - frame.clientHeight / 2;
    const point = this.data.points[index];
    if (!point) {
      this.detail.style.removeProperty("--c");
      this.detail.replaceChildren(element("span", { class: "quiet" }, "Choose a point in the chart or a row of the table to see what is known of it."));
      return;
    }
    this.detail.style.setProperty("--c", statusColour(point.status));
    const list = element("dl");
    for (const [name, value] of this.facts(point)) if (value && value !== "-") list.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
    const parts = [element("h3", {}, point.name), element("p", {}, (MEANINGS[point.status] || MEANINGS.Error)(point))];
    if (point.knee) parts.push(element("p", { class: "quiet" }, `Its knee is at ${ratio(point.knee)} ${this.data.counts}/B: left of it movement bounds, right of it arithmetic.`));
    if (point.flag) parts.push(element("p", { class: "warn" }, `Above its roof: ${point.flag}.`));
    if (point.data_efficiency_pct !== null && point.data_efficiency_pct < 95) parts.push(element("p", { class: "warn" }, `Only ${percent(point.data_efficiency_pct)} of the bytes that were moved had to be: the rest was read again, or moved with what was needed.`));
    parts.push(list, element("pre", {}, this.formulas(point).join("\n")));
    if (point.record) parts.push(element("details", {}, element("summary", {}, "Record"), element("pre", {}, point.record)));
    this.detail.replaceChildren(...parts);
  }
}

// Communication: messages below what links can carry.
function communication(host, data) {
  const names = [...new Set([...data.links.map((link) => link.name), ...data.events.map((event) => event.link)])];
  const marks = ["circle", "square", "triangle-up", "diamond", "pentagon", "star"];
  const colour = (name) => { const at = names.indexOf(name); return at >= 0 && at < 7 ? `var(--n${at})` : "var(--rest)"; };
  const total = data.events.reduce((sum, event) => sum + Math.max(0, event.time_ns || 0), 0);
  const events = data.events.filter((event) => event.bytes > 0 && event.achieved_gbps > 0);
  const chart = new Chart(host, {
    label: "Communication: message size against bandwidth", tall: 440, xName: "Message size", yName: "Bandwidth (B/s)", xText: bytes, yText: (value) => prefixed(value * 1e9), slopes: [],
    xTicks: ([low, high], pixels) => {
      const two = Math.log10(2), step = [1, 2, 5, 10, 20, 50].find((step) => step * two * pixels / (high - low) >= 62) || 100, found = [];
      for (let power = Math.ceil(low / two); power * two <= high; power++) if (power % step === 0) found.push({ log: power * two, value: 2 ** power, named: true });
      return found;
    },
    points: events.map((event) => ({ x: event.bytes, y: event.achieved_gbps, radius: radius(total ? Math.max(0, event.time_ns || 0) / total : 0, events.length), symbol: marks[Math.max(0, names.indexOf(event.link)) % 6], fill: "full", colour: colour(event.link), name: event.name || "", weight: event.time_ns || 0, flag: event.utilisation_pct > 100 && event.flag, ideal: null })),
    levels: () => data.links.flatMap((link) => [
      { rate: link.total_gbps ?? link.per_direction_gbps, name: `${link.name} ${withUnit((link.total_gbps ?? link.per_direction_gbps) * 1e9, "B/s")}`, colour: colour(link.name) },
      { rate: link.protocol_gbps, name: `${link.name} after its protocol ${withUnit(link.protocol_gbps * 1e9, "B/s")}`, colour: colour(link.name), dashed: true },
    ]).filter((level) => level.rate > 0),
    choose: (index) => chart.mark(index),
    hover: (index, pointer) => {
      if (index < 0) return hideTip();
      const event = events[index];
      showTip(event.name || "", [["Link", event.link], ["Size", bytes(event.bytes)], ["Calls", count(event.calls)], ["Time", duration(event.time_ns)], ["Achieved", withUnit(event.achieved_gbps * 1e9, "B/s")], ["Roof", event.roof_gbps === null ? "-" : withUnit(event.roof_gbps * 1e9, "B/s")], ["Of roof", percent(event.utilisation_pct)]], pointer, event.flag);
    },
  });
  chart.recolour();
}

// The page around the inputs: tabs or side by side, and its colours.
const inputs = [...document.querySelectorAll(".input")];
const tabs = byId("tabs"), beside = byId("beside"), theme = byId("theme"), main = byId("pages");
const remember = (key, value) => { try { localStorage.setItem(`eaves-roofline-${key}`, value); } catch { /* some places forbid it */ } };
const recall = (key) => { try { return localStorage.getItem(`eaves-roofline-${key}`) || ""; } catch { return ""; } };
let current = 0;
function arrange() {
  const together = beside.getAttribute("aria-pressed") === "true";
  main.classList.toggle("beside", together);
  inputs.forEach((input, index) => { input.hidden = !together && index !== current; });
  [...tabs.children].forEach((tab, index) => { tab.setAttribute("aria-selected", String(!together && index === current)); tab.tabIndex = index === current ? 0 : -1; });
}
if (inputs.length > 1) {
  tabs.hidden = beside.hidden = false;
  inputs.forEach((input, index) => {
    const tab = element("button", { type: "button", role: "tab", "aria-controls": input.id }, input.dataset.label);
    tab.addEventListener("click", () => { current = index; beside.setAttribute("aria-pressed", "false"); arrange(); });
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) { const next = tabs.children[(index + step + inputs.length) % inputs.length]; next.click(); next.focus(); }
    });
    tabs.append(tab);
  });
  beside.addEventListener("click", () => { beside.setAttribute("aria-pressed", String(beside.getAttribute("aria-pressed") !== "true")); arrange(); });
}
if (location.hash === "#beside") beside.setAttribute("aria-pressed", "true");
arrange();
const dress = () => { if (theme.value) document.documentElement.dataset.theme = theme.value; else delete document.documentElement.dataset.theme; };
theme.value = recall("theme");
theme.addEventListener("change", () => { remember("theme", theme.value); dress(); });
dress();
inputs.forEach((host, index) => {
  const data = read(byId(index ? `eaves-${index + 1}` : "eaves"));
  if (data.has) new Input(host, data);
  const links = host.querySelector(".links");
  if (links && data.events.length) communication(links, data);
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, select") || event.ctrlKey || event.metaKey) return;
  inputs.find((input) => !input.hidden)?.querySelector("input[type=search]")?.focus();
  event.preventDefault();
});
