// What the page knows: the documents as the command line would write them, and numbers as people read them.
const byId = (id) => document.getElementById(id);
// The still drawings are there before this program is.
const SVG = document.querySelector("svg")?.namespaceURI;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
function drawn(name, attributes = {}, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Three digits at most: 3.35 T, 989 G, 12.
function digits(number) {
  const size = Math.abs(number);
  const text = number.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
function prefixed(number) {
  if (number === null || !isFinite(number)) return "-";
  let at = 0, scaled = number;
  while (Math.abs(scaled) >= 999.5 && at < 6) { scaled /= 1000; at += 1; }
  const text = scaled === 0 || Math.abs(scaled) >= 0.00095 ? digits(scaled) : scaled.toExponential(0);
  return at ? `${text} ${"kMGTPE"[at - 1]}` : text;
}
const withUnit = (number, unit) => {
  const text = prefixed(number);
  return text === "-" ? text : text.includes(" ") ? text + unit : `${text} ${unit}`;
};
const ratio = (number) => number >= 999.5 && number < 9999.5 ? number.toFixed(0) : prefixed(number);
function duration(ns) {
  if (ns === null) return "-";
  for (const [divisor, unit] of [[1, "ns"], [1e3, "µs"], [1e6, "ms"]]) {
    if (Math.abs(ns / divisor) < 999.995) return `${divisor === 1 ? ns : (ns / divisor).toFixed(2)} ${unit}`;
  }
  return `${(ns / 1e9).toFixed(2)} s`;
}
function bytes(size) {
  if (size === null) return "-";
  let at = 0;
  while (size >= 1023.95 && at < 5) { size /= 1024; at += 1; }
  return `${digits(size)} ${["B", "KiB", "MiB", "GiB", "TiB", "PiB"][at]}`;
}
const percent = (share) => share === null ? "-" : share !== 0 && Math.abs(share) < 0.05 ? "<0.1%" : `${share.toFixed(1)}%`;
const count = (number) => number === null ? "-" : Math.round(number).toLocaleString("en");

// The rows of a table as objects, by the ids of its columns.
function rows(section, id) {
  const table = section?.tables.find((table) => table.id === id);
  return (table?.rows || []).map((row, index) => Object.fromEntries([["index", index], ...table.columns.map((column, at) => [column.id, row[at] ?? null])]));
}

function read(source) {
  const sections = JSON.parse(source.textContent).sections;
  const find = (id) => sections.find((section) => section.id === id);
  const roofline = find("roofline"), communication = find("comm-roofline");
  const roofs = rows(roofline, "roofs");
  const points = rows(roofline, "points");
  const data = {
    has: Boolean(roofline),
    device: roofline?.numbers.find((number) => number.id === "device")?.value || "",
    points,
    memory: roofs.filter((roof) => roof.kind === "memory" && roof.rate > 0),
    compute: roofs.filter((roof) => roof.kind === "compute" && roof.rate > 0),
    events: rows(communication, "events"),
    links: rows(communication, "links"),
  };
  for (const event of data.events) event.link = event.matched_link || event.link || "";
  for (const point of points) {
    point.knee = point.intensity > 0 && point.delta_log10_oi_to_knee !== null ? point.intensity / 10 ** point.delta_log10_oi_to_knee : null;
    point.place = place(point);
  }
  // A ceiling is drawn if some point has it as its own, by its knee or by what bounds it.
  const near = (a, b) => a && b && Math.abs(a / b - 1) < 1e-6;
  const own = (roof) => points.some((point) => point.bound_by === roof.name || near(point.knee, roof.knee));
  let used = data.compute.filter(own);
  if (!used.length) used = [...data.compute];
  const named = (roof) => points.some((point) => point.bound_by === roof.name || (point.dtype || "").toLowerCase() === roof.name.split(/[ _]/)[0].toLowerCase());
  const rates = new Set(used.filter(named).map((roof) => roof.rate));
  data.used = new Set(used.filter((roof) => named(roof) || !rates.has(roof.rate)));
  const macs = used.filter((roof) => roof.counts === "mac").length;
  data.counts = macs === 0 ? "FLOP" : macs === used.length ? "MAC" : "OP";
  return data;
}

// Where a point can be drawn; never at zero.
function place(point) {
  const { intensity, achieved_gflops: achieved, roof_gflops: roof, achieved_gbps: bandwidth } = point;
  if (intensity > 0 && achieved > 0) return { x: intensity, y: achieved };
  if (achieved > 0) return { strip: "still", y: achieved };
  if (intensity > 0 && achieved === null && roof > 0) return { x: intensity, y: roof, guess: true };
  return bandwidth > 0 ? { strip: "copies", y: bandwidth } : null;
}

const FILLS = { "Compute Bound": "full", "Memory Bound": "full", "Normal": "half", "Compute Inefficient": "hollow", "Memory Inefficient": "hollow" };
const STATUSES = ["Compute Bound", "Memory Bound", "Compute Inefficient", "Memory Inefficient", "Normal", "Error"];
const statusColour = (status) => `var(--s${Math.max(0, STATUSES.indexOf(STATUSES.includes(status) ? status : "Error"))})`;
const fillOf = (point) => point.place?.guess ? "open" : FILLS[point.status] || "open";

const SYMBOLS = { circle: "○ matrix product", square: "□ convolution", "triangle-up": "△ elementwise", pentagon: "⬠ attention", diamond: "◇ other", star: "☆ something wrong" };

// What a status means and what to do about it.
const MEANINGS = {
  "Compute Bound": (p) => `Near the peak of its units (${p.bound_by || "compute"}). It gets faster with less arithmetic, a narrower type or more units, not with better memory access.`,
  "Memory Bound": (p) => `Near the bandwidth of ${p.bound_by || "memory"}. It gets faster by moving fewer bytes: fuse it with its neighbours, keep data in caches, store narrower types.`,
  "Compute Inefficient": () => "Has enough arithmetic for each byte to be limited by the units, yet leaves them idle most of the time. Usual causes: dimensions too small to fill the device, tiles that do not fit the shape, too little work in flight, or the slower of two kinds of units.",
  "Memory Inefficient": () => "Has little arithmetic for each byte and still leaves memory idle most of the time. Usual causes: accesses that are not aligned or not contiguous, large strides, and transfers too small to hide their latency.",
  "Normal": () => "In between: not near its roof, not far below it.",
  "Error": () => "Cannot be judged: it has no time, or the device has no known peak for it.",
};
