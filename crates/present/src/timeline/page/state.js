// What is looked at: the window of time, the lines from top to bottom, what is selected.
const byId = (id) => document.getElementById(id);
const data = await decode(byId("data").textContent);
const { head, start, end, name, count, busy, launch } = data;
const GUTTER = 210, ROW = 17, AXIS = 24, COUNTER = 44;
// A track with many rows shows these when it is folded; others show one.
const MANY = 10, FOLDED = 8;
const whole = { from: head.window[0], to: Math.max(head.window[1], head.window[0] + 1) };
const view = { ...whole };
const state = { hover: -1, selected: -1, pointer: null, matches: null, folded: new Set(), arrows: [] };

// Calls and what they launched: kernels of call i are children[first[i]..first[i + 1]].
const first = new Uint32Array(data.total + 1);
for (let entry = 0; entry < data.total; entry++) if (launch[entry] >= 0) first[launch[entry] + 1]++;
for (let entry = 0; entry < data.total; entry++) first[entry + 1] += first[entry];
const children = new Uint32Array(first[data.total]), next = first.slice();
for (let entry = 0; entry < data.total; entry++) if (launch[entry] >= 0) children[next[launch[entry]]++] = entry;

const rowOf = (entry) => {
  let low = 0, high = data.rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (data.rows[middle].from <= entry) low = middle;
    else high = middle - 1;
  }
  // Rows without entries begin where the next one does.
  while (data.rows[low].to <= entry) low++;
  return data.rows[low];
};
// The first entry of a row that ends after a time; one without length counts if it is there.
function after(row, time) {
  let low = row.from, high = row.to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle] > time || start[middle] >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}
// What calls an entry: the innermost entry above it on the same track that contains it.
function caller(entry, accept = () => true) {
  const row = rowOf(entry), rows = row.track.rows;
  for (let index = rows.indexOf(row) - 1; index >= 0 && rows[index].band === row.band; index--) {
    const candidate = after(rows[index], start[entry]);
    const contains = candidate < rows[index].to && start[candidate] <= start[entry] && end[candidate] >= end[entry];
    if (contains && accept(candidate)) return candidate;
  }
  return -1;
}
const OPERATOR = 0;
const classOf = (entry) => head.class[name[entry]];
const operator = (entry) => caller(entry, (candidate) => classOf(candidate) === OPERATOR && count[candidate] === 1);

// Arrows of an entry: from its launch, or to all that it and what it called launched.
function arrowsOf(entry, deep) {
  if (entry < 0) return [];
  if (launch[entry] >= 0) return [[launch[entry], entry]];
  const own = [...children.subarray(first[entry], first[entry + 1])].map((child) => [entry, child]);
  const row = rowOf(entry);
  if (own.length || !deep || row.track.stream) return own.slice(0, 200);
  const arrows = [];
  for (const below of row.track.rows) {
    if (below.band !== row.band || below.depth <= row.depth) continue;
    for (let call = after(below, start[entry]); call < below.to && start[call] < end[entry]; call++) {
      for (let at = first[call]; at < first[call + 1] && arrows.length < 200; at++) arrows.push([call, children[at]]);
    }
  }
  return arrows;
}

// Lines from top to bottom: headings, rows of slices, counters.
let lines = [], height = 0;
const lineOf = new Map();
function layout() {
  lines = [];
  lineOf.clear();
  let y = AXIS;
  const add = (line, size) => {
    lines.push({ ...line, y, size });
    y += size;
  };
  for (const rank of head.ranks) {
    const top = y;
    if (head.ranks.length > 1) add({ heading: `rank ${rank.rank}`, strong: true }, 22);
    let group = null;
    for (const track of rank.tracks) {
      if (track.group !== group) add({ heading: (group = track.group) }, 19);
      const shown = !state.folded.has(track) ? track.rows.length : track.rows.length > MANY ? FOLDED : 1;
      track.rows.slice(0, shown).forEach((row, index) => {
        lineOf.set(row, lines.length);
        const hidden = track.rows.length - shown;
        const label = index === 0 ? track.name : index === 1 && hidden ? `+ ${hidden} rows, click to show` : null;
        add({ row, label, track, first: index === 0 }, ROW);
      });
      y += 5;
    }
    for (const counter of rank.counters) {
      add({ counter }, COUNTER);
      y += 5;
    }
    rank.top = top;
    rank.bottom = y;
  }
  height = y + 8;
  byId("tall").style.height = `${height}px`;
}

// Words.
const unitOf = (time) => [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, size]) => Math.abs(time) >= size) || ["ns", 1];
function duration(time) {
  const [unit, size] = unitOf(time);
  return `${(time / size).toLocaleString("en", { maximumFractionDigits: size === 1 ? 0 : 3 })} ${unit}`;
}
function amount(value, bytes) {
  if (!bytes) return value.toLocaleString("en", { maximumFractionDigits: 3 });
  let unit = 0;
  for (; Math.abs(value) >= 1024 && unit < 4; unit++) value /= 1024;
  return `${value.toFixed(unit ? 1 : 0)} ${["B", "KiB", "MiB", "GiB", "TiB"][unit]}`;
}
const labelOf = (entry) =>
  (count[entry] > 1 ? `${count[entry].toLocaleString("en")} × ` : "") + (head.short[name[entry]] || head.names[name[entry]]);

function setView(from, to) {
  const length = Math.min(Math.max(to - from, 10), (whole.to - whole.from) * 1.2);
  const slack = (whole.to - whole.from) * 0.1;
  view.from = Math.min(Math.max(from, whole.from - slack), Math.max(whole.to + slack - length, whole.from - slack));
  view.to = view.from + length;
  redraw();
}
