"use strict";

// A chart of figures over time, in SVG. Unknown figures are gaps.

const svgNamespace = "http://www.w3.org/2000/svg";

function svgElement(name, attributes, text) {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// roundUp returns the least of 1, 2, 5, 10, 20, 50, ... that is not below the value.
function roundUp(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

// runs splits points at unknown figures.
function runs(points) {
  const out = [[]];
  for (const point of points) {
    if (point.y === null) out.push([]);
    else out[out.length - 1].push(point);
  }
  return out.filter((run) => run.length > 0);
}

// stairs returns the path of a run of points: a figure holds until the next reading.
function stairs(run, x, y) {
  const path = [`M${x(run[0].x)},${y(run[0].y)}`];
  for (const point of run.slice(1)) path.push(`H${x(point.x)}V${y(point.y)}`);
  if (run.length === 1) path.push("h2"); // one reading is a dot
  return path.join("");
}

// draw draws series, each {kind, area, points: [{x, y}]}, between the times from and to.
// Axes are left out in a sparkline.
function draw(svg, series, { from, to, axes }) {
  const width = svg.clientWidth || 144;
  const height = svg.clientHeight || 24;
  const known = series.flatMap((s) => s.points.filter((p) => p.y !== null).map((p) => p.y));
  const highest = roundUp(Math.max(0, ...known));
  const box = axes ? { left: 44, right: width - 8, top: 10, bottom: height - 20 } : { left: 1, right: width - 1, top: 2, bottom: height - 2 };
  const x = (time) => (box.left + ((box.right - box.left) * (time - from)) / (to - from)).toFixed(1);
  const y = (value) => (box.bottom - ((box.bottom - box.top) * value) / highest).toFixed(1);
  const parts = axes ? axesOf(box, x, y, highest, from, to) : [];
  for (const { kind, area, points } of series) {
    for (const run of runs(points)) {
      const path = stairs(run, x, y);
      if (area) parts.push(svgElement("path", { class: "area", d: `${path}V${y(0)}H${x(run[0].x)}Z` }));
      parts.push(svgElement("path", { class: kind, d: path }));
    }
  }
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(...parts);
  return { x, box };
}

function axesOf(box, x, y, highest, from, to) {
  const parts = [];
  for (const value of [0, highest / 2, highest]) {
    parts.push(svgElement("line", { class: "grid", x1: box.left, x2: box.right, y1: y(value), y2: y(value) }));
    parts.push(svgElement("text", { x: box.left - 6, y: Number(y(value)) + 4, "text-anchor": "end" }, figure(value)));
  }
  const labels = [[from, "start"], [(from + to) / 2, "middle"], [to, "end"]];
  for (const [time, anchor] of labels) {
    parts.push(svgElement("text", { x: x(time), y: box.bottom + 15, "text-anchor": anchor }, clockTime(time)));
  }
  return parts;
}

// figure formats a number, with a decimal unless it is an integer; unknown ones as in the
// tables of kubectl apf.
function figure(value) {
  return Number.isInteger(value) ? value.toLocaleString("en-US") : decimal(value);
}

// decimal formats a number with one decimal.
function decimal(value) {
  if (value === null || value === undefined) return "-";
  return value.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

function clockTime(time) {
  return new Date(time).toLocaleTimeString("en-GB");
}
