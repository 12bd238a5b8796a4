// The page: it asks for what is new, and shows it.

const element = (id) => document.getElementById(id);
const totalName = "TOTAL"; // no object has a name in capitals
const shortest = 60000; // milliseconds that a chart shows at least
const retry = 2000; // milliseconds until a server that did not answer is asked again

const view = {
  state: null, // the last answer
  readings: [], // those of the window
  chosen: null, // the name of the level in the charts
  at: null, // the time that the pointer is at, in a chart
  paused: false,
  timer: 0,
  asked: 0, // counts the questions: only the answer to the last one is shown
};

// Reading

// read asks for the readings that are new, shows them, and asks again later.
async function read() {
  clearTimeout(view.timer);
  const number = ++view.asked;
  const state = await ask();
  if (number !== view.asked) return;
  if (state) {
    take(state);
    showError(state.error ? `The last reading failed; these are the figures of ${clockTime(lastTime())}. ${state.error}` : "");
    show();
  } else {
    showError("kubectl apf top --web does not answer: if it has ended, start it again, and open the address that it prints.");
  }
  if (!view.paused) view.timer = setTimeout(read, state ? state.intervalSeconds * 1000 : retry);
}

// ask returns the state with new readings; null if there is no answer.
async function ask() {
  const last = view.readings.length > 0 ? view.readings[view.readings.length - 1].number : 0;
  try {
    const response = await fetch(`state?after=${last}`);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

function take(state) {
  for (const reading of state.readings) {
    reading.time = Date.parse(reading.at);
    reading.byLevel = new Map(reading.levels.map((point) => [point.name, point]));
  }
  view.readings.push(...state.readings);
  view.state = state;
  const oldest = lastTime() - state.windowSeconds * 1000;
  view.readings = view.readings.filter((reading) => reading.time >= oldest);
}

function lastTime() {
  return view.readings.length > 0 ? view.readings[view.readings.length - 1].time : 0;
}

// span returns the times between which charts are drawn: since the first reading, but
// at least a minute, and at most the window.
function span() {
  const to = lastTime();
  const first = view.readings.length > 0 ? view.readings[0].time : to;
  return { from: Math.min(first, to - shortest), to };
}

// pointOf returns a figure of a level in a reading; of all levels, the sum of what is
// known. It is null if it is unknown.
function pointOf(reading, level, figureOf) {
  if (level !== totalName) {
    const point = reading.byLevel.get(level);
    return point ? figureOf(point) : null;
  }
  const known = reading.levels.map(figureOf).filter((value) => value !== null);
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : null;
}

// points returns a figure of a level over time.
function points(level, figureOf) {
  return view.readings.map((reading) => ({ x: reading.time, y: pointOf(reading, level, figureOf) }));
}

// Showing

function show() {
  const { state } = view;
  setText(element("name"), state.name);
  document.title = `Seats of ${state.name} - kubectl apf top`;
  const names = state.levels.levels.map((level) => level.name);
  if (view.chosen !== totalName && !names.includes(view.chosen)) view.chosen = busiest(state.levels.levels);
  showStatus();
  levelsTable.show(state.levels.levels, { ...state.levels.total, name: totalName });
  markChosen();
  showCharts();
  showFlows();
  showNotes();
}

// busiest returns the name of the level that is worth looking at first: where requests
// wait or are rejected, then where the largest part of the limit is in use.
function busiest(levels) {
  const rank = (level) => [level.waiting ?? 0, level.rejectedPerSecond ?? 0, level.rejected ?? 0, share(level) ?? 0, level.seatsInUse ?? 0];
  const sorted = [...levels].sort((a, b) => {
    const [one, other] = [rank(a), rank(b)];
    const at = one.findIndex((value, index) => value !== other[index]);
    return at < 0 ? 0 : other[at] - one[at];
  });
  return sorted.length > 0 ? sorted[0].name : totalName;
}

function showStatus() {
  const { replicas } = view.state.levels;
  const told = replicas.filter((replica) => !replica.away).length;
  const count = told === replicas.length ? `${told}` : `${told} of ${replicas.length}`;
  const every = view.paused ? "paused" : `every ${figure(view.state.intervalSeconds)} s`;
  setText(element("status"), `${count} ${replicas.length === 1 ? "replica" : "replicas"}, read at ${clockTime(lastTime())}, ${every}`);
}

function showError(text) {
  setText(element("error"), text);
  element("error").hidden = text === "";
}

const charts = [
  { id: "seats-chart", series: [
    { kind: "seats", area: true, of: (point) => point.seatsInUse },
    { kind: "limit", of: (point) => point.currentLimit },
    { kind: "nominal", of: (point) => point.nominalLimit },
  ] },
  { id: "waiting-chart", series: [{ kind: "waiting", of: (point) => point.waiting }] },
  { id: "rejected-chart", series: [{ kind: "rejected", of: (point) => point.rejectedPerSecond }] },
];

function showCharts() {
  if (!view.state) return;
  setText(element("chosen"), view.chosen === totalName ? "All priority levels" : view.chosen);
  const { from, to } = span();
  for (const { id, series } of charts) {
    const svg = element(id);
    const { x, box } = draw(svg, series.map(({ kind, area, of }) => ({ kind, area, points: points(view.chosen, of) })), { from, to, axes: true });
    svg.scale = { from, to, box };
    if (view.at !== null) svg.append(svgElement("line", { class: "cursor", x1: x(view.at), x2: x(view.at), y1: box.top, y2: box.bottom }));
  }
  const sentence = readingSentence();
  setText(element("reading"), sentence);
  element("seats-chart").setAttribute("aria-label", `Seats of ${view.chosen}: ${sentence}`);
  element("waiting-chart").setAttribute("aria-label", `Waiting requests of ${view.chosen}`);
  element("rejected-chart").setAttribute("aria-label", `Rejected requests of ${view.chosen} per second`);
}

// readingSentence says the figures at the pointer, or the last ones.
function readingSentence() {
  const until = view.at ?? lastTime();
  const reading = view.readings.findLast((r) => r.time <= until);
  if (!reading) return "no reading at this time";
  const of = (figureOf) => pointOf(reading, view.chosen, figureOf);
  const [seats, limit, waiting, rejected] = [of((p) => p.seatsInUse), of((p) => p.currentLimit), of((p) => p.waiting), of((p) => p.rejectedPerSecond)];
  const limited = limit === null ? "" : ` of ${figure(limit)}`;
  const rate = rejected === null ? "" : `, ${decimal(rejected)} rejected per second`;
  return `${clockTime(reading.time)}: ${figure(seats)}${limited} seats in use, ${figure(waiting)} waiting${rate}`;
}

function showNotes() {
  const notes = view.state.flows.replicas.concat(view.state.levels.replicas).flatMap((replica) =>
    (replica.missing ?? []).map((missing) => `${replica.name}: ${missing.what}: ${missing.why}`));
  const items = [...new Set(notes)].map((note) => {
    const item = document.createElement("li");
    item.textContent = note;
    return item;
  });
  element("notes").replaceChildren(...items);
  element("notes-section").hidden = items.length === 0;
}

// Tables

// share is the part of the current limit that is in use; null if there is none.
function share(level) {
  return level.currentLimit && level.seatsInUse !== null ? level.seatsInUse / level.currentLimit : null;
}

function seconds(value) {
  if (value === null || value === undefined) return "-";
  return value < 60 ? `${value.toFixed(1)}s` : `${Math.floor(value / 60)}m${Math.round(value % 60)}s`;
}

function fillLevelName(cell, level) {
  cell.classList.add("name");
  if (!cell.firstChild) {
    const button = document.createElement("button");
    button.type = "button";
    button.addEventListener("click", () => choose(button.textContent));
    cell.append(button);
  }
  setText(cell.firstChild, level.name);
}

function fillSparkline(cell, level) {
  if (!cell.firstChild) cell.append(svgElement("svg", { "aria-hidden": "true" }));
  draw(cell.firstChild, [
    { kind: "seats", area: true, points: points(level.name, (point) => point.seatsInUse) },
    { kind: "limit", points: points(level.name, (point) => point.currentLimit) },
  ], { ...span(), axes: false });
}

// marked shows a figure, with a class if it is more than 0.
function marked(name, value, format) {
  return (cell, row) => {
    setText(cell, format(value(row)));
    cell.classList.toggle(name, value(row) > 0);
  };
}

const rate = (level) => level.rejectedPerSecond;
const levelsTable = new SortedTable(element("levels"), [
  { title: "Level", value: (level) => level.name, fill: fillLevelName },
  { title: "Last minutes", fill: fillSparkline },
  { title: "Seats", hint: "seats in use", number: true, value: (level) => level.seatsInUse },
  { title: "Limit", hint: "current limit, in seats", number: true, value: (level) => level.currentLimit },
  { title: "Use", hint: "seats in use, of the current limit", number: true, value: share, fill: (cell, level) => setText(cell, share(level) === null ? "-" : `${Math.round(share(level) * 100)}%`) },
  { title: "Nominal", hint: "nominal limit, in seats", number: true, value: (level) => level.nominalLimit },
  { title: "Executing", hint: "requests", number: true, value: (level) => level.executing },
  { title: "Waiting", hint: "requests", number: true, value: (level) => level.waiting, fill: marked("waits", (level) => level.waiting, figure) },
  { title: "Oldest", hint: "how long the oldest waiting request has waited", number: true, value: (level) => level.oldestWaitSeconds, fill: (cell, level) => setText(cell, seconds(level.oldestWaitSeconds)) },
  { title: "Rejected/s", hint: "requests rejected per second", number: true, value: rate, fill: marked("rejects", rate, decimal) },
  { title: "Rejected", hint: "requests rejected since the servers started", number: true, value: (level) => level.rejected },
], { sort: 2, key: (level) => level.name, total: true });

const flowsTable = new SortedTable(element("flows"), [
  { title: "Flow schema", value: (flow) => flow.flowSchema ?? "" },
  { title: "Flow", value: (flow) => flow.distinguisher ?? "", fill: (cell, flow) => { cell.classList.add("name"); setText(cell, flow.distinguisher ?? ""); } },
  { title: "Level", value: (flow) => flow.level ?? "" },
  { title: "Seat-seconds", hint: "used in the last minute, where the servers tell it", number: true, value: (flow) => flow.seatSeconds, fill: (cell, flow) => setText(cell, decimal(flow.seatSeconds)) },
  { title: "Seats", hint: "seats in use", number: true, value: (flow) => flow.seatsInUse },
  { title: "Executing", hint: "requests", number: true, value: (flow) => flow.executing },
  { title: "Waiting", hint: "requests", number: true, value: (flow) => flow.waiting, fill: marked("waits", (flow) => flow.waiting, figure) },
  { title: "Oldest", hint: "how long the oldest waiting request has waited", number: true, value: (flow) => flow.oldestWaitSeconds, fill: (cell, flow) => setText(cell, seconds(flow.oldestWaitSeconds)) },
], { sort: 3, key: (flow) => JSON.stringify([flow.level, flow.flowSchema, flow.distinguisher]), total: false });

function showFlows() {
  if (!view.state) return;
  const { flows, omitted } = view.state.flows;
  const wanted = element("filter").value.trim().toLowerCase();
  const only = element("only").checked && view.chosen !== totalName;
  const rows = flows.filter((flow) => (!only || flow.level === view.chosen) &&
    [flow.flowSchema, flow.distinguisher, flow.level].some((text) => (text ?? "").toLowerCase().includes(wanted)));
  setText(element("only-level"), view.chosen === totalName ? "all priority levels" : view.chosen);
  const more = omitted ? `; ${figure(omitted)} lighter flows are left out, --limit shows more` : "";
  setText(element("flows-count"), `${figure(rows.length)} of ${figure(flows.length)} flows${more}`);
  flowsTable.show(rows);
}

// What the user does

function choose(name) {
  view.chosen = name;
  markChosen();
  showCharts();
  showFlows();
}

function markChosen() {
  for (const [name, row] of levelsTable.elements) row.setAttribute("aria-current", String(name === view.chosen));
  levelsTable.foot.setAttribute("aria-current", String(view.chosen === totalName));
}

// step chooses the next level in the order of the table, or the one before.
function step(by) {
  const names = [...levelsTable.sorted().map((level) => level.name), totalName];
  const index = names.indexOf(view.chosen) + by;
  if (index >= 0 && index < names.length) choose(names[index]);
}

function pause() {
  view.paused = !view.paused;
  element("pause").setAttribute("aria-pressed", String(view.paused));
  setText(element("pause"), view.paused ? "Go on" : "Pause");
  clearTimeout(view.timer);
  view.asked++;
  if (!view.paused) read();
  else if (view.state) showStatus();
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  p: pause,
  l: () => element("only").click(),
  "/": () => element("filter").focus(),
  "?": () => element("help").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || element("help").open) return;
  if (event.target instanceof HTMLInputElement && event.target.type === "search") {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (Object.hasOwn(keys, event.key)) {
    event.preventDefault();
    keys[event.key]();
  }
});

for (const { id } of charts) {
  element(id).addEventListener("pointermove", (event) => {
    const { scale } = event.currentTarget;
    if (!scale) return;
    const x = Math.min(Math.max(event.offsetX, scale.box.left), scale.box.right);
    view.at = scale.from + ((x - scale.box.left) / (scale.box.right - scale.box.left)) * (scale.to - scale.from);
    showCharts();
  });
  element(id).addEventListener("pointerleave", () => {
    view.at = null;
    showCharts();
  });
}

element("pause").addEventListener("click", pause);
element("help-button").addEventListener("click", keys["?"]);
element("filter").addEventListener("input", showFlows);
element("only").addEventListener("change", showFlows);
window.addEventListener("resize", () => view.state && show());
read();
