// Pointer, keys, search, and the words around the picture.
const tip = byId("tip"), details = byId("details");

function element(tag, text, parent) {
  const made = document.createElement(tag);
  made.textContent = text;
  parent?.append(made);
  return made;
}

const lineAt = (y) => {
  const place = y + scroll.scrollTop;
  return y < AXIS ? undefined : lines.find((line) => line.y <= place && place < line.y + line.size);
};
function entryAt(x, y) {
  const line = lineAt(y);
  if (!line?.row || x < GUTTER) return -1;
  const time = timeAt(x), slack = (2 * (view.to - view.from)) / plotWidth();
  // Of what is within two pixels the longest that holds the time, else the nearest.
  let best = -1, distance = slack;
  for (let entry = after(line.row, time - slack); entry < line.row.to && start[entry] <= time + slack; entry++) {
    const away = Math.max(start[entry] - time, time - end[entry], 0);
    if (away < distance || (away === distance && best >= 0 && end[entry] - start[entry] > end[best] - start[best])) {
      best = entry;
      distance = away;
    }
  }
  return best;
}

function describe(entry) {
  const row = rowOf(entry), several = count[entry] > 1, facts = [];
  facts.push(`${head.classes[classOf(entry)][0]} on ${row.track.group} ${row.track.name}${head.ranks.length > 1 ? `, rank ${row.track.rank.rank}` : ""}`);
  facts.push(several
    ? `${count[entry].toLocaleString("en")} short slices in ${duration(end[entry] - start[entry])}, busy ${duration(busy[entry])}; the longest is named`
    : `${duration(end[entry] - start[entry])}, begins at ${duration(start[entry])}`);
  if (data.detail[entry]) facts.push(head.details[data.detail[entry] - 1]);
  return facts;
}

function showTip(entry, event) {
  tip.hidden = entry < 0;
  if (entry < 0) return;
  tip.replaceChildren();
  element("b", head.names[name[entry]], tip);
  for (const fact of describe(entry)) element("div", fact, tip);
  const call = launch[entry], op = call >= 0 ? operator(call) : operator(entry);
  if (op >= 0) element("div", `operator ${head.names[name[op]]}`, tip);
  place(event);
}
function place(event) {
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18}px`;
}

function select(entry, reveal) {
  state.selected = entry;
  state.arrows = arrowsOf(entry, true);
  details.replaceChildren();
  if (entry < 0) {
    element("p", "Click a slice to see what is known of it, and what launched it.", details).style.color = "var(--quiet)";
  } else {
    element("b", head.names[name[entry]], details);
    element("p", describe(entry).join(" · "), details);
    const line = element("p", "", details);
    const link = (words, target) => {
      line.append(words);
      element("a", head.short[name[target]] || head.names[name[target]], line).onclick = () => select(target, true);
    };
    const call = launch[entry];
    if (call >= 0) {
      link(`launched ${duration(start[entry] - start[call])} before it began by `, call);
      if (operator(call) >= 0) link(" for the operator ", operator(call));
    } else {
      if (caller(entry) >= 0) link("inside ", caller(entry));
      if (state.arrows.length) link(` · launched ${state.arrows.length >= 200 ? "200 or more" : state.arrows.length}, first `, state.arrows[0][1]);
    }
    if (reveal) show(entry);
  }
  redraw();
}
// Brings an entry into view, at the zoom there is.
function show(entry) {
  const row = rowOf(entry);
  if (!lineOf.has(row) && state.folded.delete(row.track)) layout();
  const length = view.to - view.from, line = lines[lineOf.get(row)];
  if (start[entry] > view.to || end[entry] < view.from) setView((start[entry] + end[entry] - length) / 2, (start[entry] + end[entry] + length) / 2);
  if (line && (line.y < scroll.scrollTop + AXIS || line.y + ROW > scroll.scrollTop + viewHeight)) scroll.scrollTop = line.y - viewHeight / 2;
}
function fit() {
  const entry = state.selected;
  if (entry < 0) return setView(whole.from, whole.to);
  const margin = Math.max(10, (end[entry] - start[entry]) * 0.2);
  if (view.from === start[entry] - margin) setView(whole.from, whole.to);
  else setView(start[entry] - margin, end[entry] + margin);
}
const zoom = (factor, x) => {
  const time = timeAt(x ?? GUTTER + plotWidth() / 2);
  setView(time - (time - view.from) * factor, time + (view.to - time) * factor);
};
const move = (share) => setView(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));

plot.addEventListener("wheel", (event) => {
  if (event.offsetX < GUTTER && !event.ctrlKey) return;
  event.preventDefault();
  const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(across / plotWidth());
  else zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 400))), event.offsetX);
}, { passive: false });

let drag = null;
plot.addEventListener("pointerdown", (event) => {
  if (event.button) return;
  drag = { x: event.offsetX, y: event.offsetY, from: view.from, to: view.to, top: scroll.scrollTop, moved: false };
  plot.setPointerCapture(event.pointerId);
});
plot.addEventListener("pointermove", (event) => {
  state.pointer = event.offsetX;
  if (!drag) {
    const entry = entryAt(event.offsetX, event.offsetY);
    if (entry !== state.hover) {
      state.hover = entry;
      redraw();
    }
    if (entry < 0) return counterTip(event);
    return showTip(entry, event);
  }
  const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
  if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
  drag.moved = tip.hidden = true;
  const time = (dx / plotWidth()) * (drag.to - drag.from);
  scroll.scrollTop = drag.top - dy;
  setView(drag.from - time, drag.to - time);
});
plot.addEventListener("pointerup", (event) => {
  const click = drag && !drag.moved;
  drag = null;
  if (!click) return;
  const line = lineAt(event.offsetY);
  if (event.offsetX < GUTTER && line?.track) {
    if (!state.folded.delete(line.track)) state.folded.add(line.track);
    layout();
    redraw();
  } else select(entryAt(event.offsetX, event.offsetY));
});
plot.addEventListener("dblclick", fit);
plot.addEventListener("pointerleave", () => {
  tip.hidden = true;
  state.hover = -1;
  redraw();
});
function counterTip(event) {
  const counter = lineAt(event.offsetY)?.counter, time = timeAt(event.offsetX);
  const point = counter?.points.findLast(([when]) => when <= time);
  tip.hidden = !point || event.offsetX < GUTTER;
  if (tip.hidden) return;
  tip.replaceChildren();
  element("b", counter.name, tip);
  element("div", `${amount(point[1], counter.bytes)} since ${duration(point[0])}`, tip);
  place(event);
}

let mapDrag = null;
const mapTime = (event) => whole.from + ((event.offsetX - GUTTER) / plotWidth()) * (whole.to - whole.from);
map.addEventListener("pointerdown", (event) => {
  mapDrag = mapTime(event);
  map.setPointerCapture(event.pointerId);
});
map.addEventListener("pointermove", (event) => {
  const time = mapTime(event);
  if (mapDrag !== null && Math.abs(time - mapDrag) > (3 * (whole.to - whole.from)) / plotWidth()) setView(Math.min(mapDrag, time), Math.max(mapDrag, time));
});
map.addEventListener("pointerup", (event) => {
  const time = mapTime(event), half = (view.to - view.from) / 2;
  if (Math.abs(time - mapDrag) <= (3 * (whole.to - whole.from)) / plotWidth()) setView(time - half, time + half);
  mapDrag = null;
});

const search = byId("search");
let hits = [], hit = -1;
search.addEventListener("input", () => {
  const wanted = search.value.trim().toLowerCase();
  hits = [];
  hit = -1;
  state.matches = wanted ? Uint8Array.from(head.names, (text) => text.toLowerCase().includes(wanted)) : null;
  let time = 0, slices = 0;
  if (wanted) {
    for (let entry = 0; entry < data.total; entry++) {
      if (!state.matches[name[entry]]) continue;
      hits.push(entry);
      time += busy[entry];
      slices += count[entry];
    }
    hits.sort((a, b) => start[a] - start[b]);
  }
  byId("found").textContent = wanted ? `${slices.toLocaleString("en")} found, ${duration(time)} in sum` : "";
  redraw();
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && hits.length) {
    hit = (hit + (event.shiftKey ? -1 : 1) + hits.length) % hits.length;
    select(hits[Math.max(0, hit)], true);
  } else if (event.key === "Escape") {
    search.value = "";
    search.dispatchEvent(new Event("input"));
    plot.focus();
  }
  event.stopPropagation();
});

const neighbour = (by) => {
  const entry = state.selected + by;
  if (state.selected < 0 || entry < 0 || entry >= data.total) return;
  if (rowOf(entry) === rowOf(state.selected)) select(entry, true);
};
const KEYS = {
  w: () => zoom(0.7, state.pointer), s: () => zoom(1 / 0.7, state.pointer), a: () => move(-0.15), d: () => move(0.15),
  ArrowLeft: () => move(-0.15), ArrowRight: () => move(0.15),
  ArrowUp: () => (scroll.scrollTop -= 60), ArrowDown: () => (scroll.scrollTop += 60),
  f: fit, ".": () => neighbour(1), ",": () => neighbour(-1), Escape: () => select(-1),
  "/": () => search.focus(), "?": () => byId("help").showModal(),
};
addEventListener("keydown", (event) => {
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  event.preventDefault();
  act();
});
byId("fit").onclick = () => {
  select(-1);
  setView(whole.from, whole.to);
};
byId("help-button").onclick = () => byId("help").showModal();
scroll.addEventListener("scroll", redraw);

function resize() {
  ratio = devicePixelRatio || 1;
  width = scroll.clientWidth;
  viewHeight = scroll.clientHeight;
  overview = null;
  redraw();
}
function legend() {
  const box = byId("legend"), used = new Set(head.class);
  box.replaceChildren();
  head.classes.forEach(([label, ...shades], index) => {
    if (!used.has(index)) return;
    const item = element("span", "", box);
    element("i", "", item).style.background = shades[dark.matches ? 1 : 0];
    item.append(label);
  });
}
document.querySelector("h1").textContent = head.title;
byId("notes").textContent = head.notes.join("; ");
for (const rank of head.ranks) {
  const line = element("div", "", byId("facts"));
  if (head.ranks.length > 1) element("span", `rank ${rank.rank}`, line);
  for (const [words, value] of rank.facts) {
    const item = element("span", `${words} `, line);
    element("b", value, item);
  }
}
const repaint = () => {
  paint();
  legend();
  resize();
};
dark.addEventListener("change", repaint);
new ResizeObserver(resize).observe(scroll);
layout();
// So that the devices are in sight.
if (height > scroll.clientHeight) {
  for (const { tracks } of head.ranks) for (const track of tracks) if (track.rows.length > MANY) state.folded.add(track);
  layout();
}
select(-1);
repaint();
