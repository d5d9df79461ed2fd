// A line plot of the last minutes on a canvas, of as many as there are points of. Time runs to the
// right, the newest point is at the edge; a gap in the data is a gap in the line. The legend says the figures under the pointer, or the
// newest ones; with the keyboard, arrow keys move the mark.
import { figure, age } from "./figures.js";

export const minutes = 60;
const spans = [1, 2, 5, 10, 30, minutes];
// The server's points of the past are five seconds apart.
const gap = 12000;
const margin = { top: 10, right: 2, bottom: 22, left: 2 };

// The smallest of 1, 2 and 5 times a power of ten that is not below the value.
function ceiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= value * 0.999);
}

function readable(kind, value) {
  const { text, unit } = figure(kind, value);
  const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return unit ? `${short} ${unit}` : short;
}

export class Plot {
  // - host: an element with `data-kind`, and one `data-series="path colour name"` a line as JSON.
  // - points: shared by all plots, oldest first: { time, values: Map of path to number }.
  constructor(host, points) {
    this.host = host;
    this.points = points;
    this.kind = host.dataset.kind;
    this.floor = Number(host.dataset.floor);
    this.top = host.dataset.top ? Number(host.dataset.top) : null;
    this.series = JSON.parse(host.dataset.series);
    this.canvas = host.querySelector("canvas");
    this.pen = this.canvas.getContext("2d");
    this.at = null;
    this.legend();
    this.canvas.addEventListener("pointermove", event => this.point(event.offsetX));
    this.canvas.addEventListener("pointerdown", event => this.point(event.offsetX));
    this.canvas.addEventListener("pointerleave", () => this.point(null));
    this.canvas.addEventListener("blur", () => this.point(null));
    this.canvas.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  legend() {
    const list = this.host.querySelector(".legend");
    this.values = this.series.map(one => {
      const item = document.createElement("li");
      const swatch = document.createElement("i");
      swatch.className = "swatch " + one.colour;
      const value = document.createElement("b");
      value.className = "figure";
      item.append(swatch, one.name, " ", value);
      list.append(item);
      return value;
    });
    this.when = document.createElement("li");
    this.when.className = "when";
    list.append(this.when);
  }

  get width() { return this.canvas.clientWidth - margin.left - margin.right; }

  // Minutes that are shown.
  get shownMinutes() {
    const first = this.points.length ? this.points[0].time : 0;
    return spans.find(one => one * 60000 >= this.now - first) || minutes;
  }

  get span() { return this.shownMinutes * 60000; }

  x(time) { return margin.left + this.width * (1 - (this.now - time) / this.span); }

  point(x) {
    this.at = x === null ? null : this.now - this.span * (1 - (x - margin.left) / this.width);
    this.draw();
  }

  key(event) {
    const few = this.span / 60;
    const step = { ArrowLeft: -few, ArrowRight: few, Home: -this.span, End: this.span }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const from = this.at === null ? this.now : this.at;
    this.at = Math.min(this.now, Math.max(this.now - this.span, from + step));
    this.draw();
  }

  get now() { return this.points.length ? this.points[this.points.length - 1].time : 0; }

  // The point that is shown in numbers.
  get shown() {
    if (this.at === null) return this.points[this.points.length - 1];
    let best = null;
    for (const point of this.points) {
      if (!best || Math.abs(point.time - this.at) < Math.abs(best.time - this.at)) best = point;
    }
    return best;
  }

  draw() {
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!width) return;
    if (this.canvas.width !== Math.round(width * scale)) this.canvas.width = Math.round(width * scale);
    if (this.canvas.height !== Math.round(height * scale)) this.canvas.height = Math.round(height * scale);
    this.pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.pen.clearRect(0, 0, width, height);
    this.style = getComputedStyle(this.canvas);
    const bottom = height - margin.bottom;
    const top = this.top ?? ceiling(Math.max(this.floor, this.highest()));
    const y = value => bottom - (bottom - margin.top) * Math.min(value / top, 1);
    this.grid(top, y, width, bottom);
    for (const one of this.series) this.line(one, y, bottom);
    this.mark(y, bottom);
    this.say();
  }

  colour(name) { return this.style.getPropertyValue("--" + name); }

  highest() {
    let highest = 0;
    for (const point of this.points) {
      for (const one of this.series) highest = Math.max(highest, point.values.get(one.path) ?? 0);
    }
    return highest;
  }

  grid(top, y, width, bottom) {
    const pen = this.pen;
    pen.font = `11px ${this.style.fontFamily}`;
    pen.lineWidth = 1;
    pen.strokeStyle = this.colour("line");
    pen.fillStyle = this.colour("soft");
    pen.textBaseline = "bottom";
    pen.textAlign = "left";
    for (const part of [0, 0.5, 1]) {
      const height = Math.round(y(top * part)) + 0.5;
      pen.globalAlpha = part ? 0.7 : 1;
      pen.beginPath();
      pen.moveTo(margin.left, height);
      pen.lineTo(width - margin.right, height);
      pen.stroke();
      pen.globalAlpha = 1;
    }
    this.labels = () => {
      pen.fillStyle = this.colour("soft");
      for (const part of [0.5, 1]) this.label(readable(this.kind, top * part), margin.left + 2, y(top * part) + 14);
    };
    pen.textBaseline = "top";
    const steps = width < 460 ? 2 : this.shownMinutes % 5 === 0 && this.shownMinutes < minutes ? 5 : 4;
    for (let step = 0; step <= steps; step += 1) {
      const part = 1 - step / steps;
      const x = margin.left + this.width * (1 - part);
      const seconds = Math.round(part * this.span / 1000);
      pen.textAlign = part === 1 ? "left" : part === 0 ? "right" : "center";
      pen.fillText(seconds === 0 ? "now" : seconds % 60 ? `−${seconds} s` : `−${seconds / 60} min`, x, bottom + 7);
    }
  }

  // Words that stay readable on a line that runs through them.
  label(text, x, y) {
    const pen = this.pen;
    pen.textAlign = "left";
    pen.textBaseline = "bottom";
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    pen.strokeStyle = this.colour("panel");
    pen.strokeText(text, x, y);
    pen.fillText(text, x, y);
  }

  line(one, y, bottom) {
    const pen = this.pen;
    const runs = [];
    let last = null;
    for (const point of this.points) {
      const value = point.values.get(one.path);
      if (value === null || value === undefined) {
        last = null;
        continue;
      }
      if (!last || point.time - last > gap) runs.push([]);
      runs[runs.length - 1].push([this.x(point.time), y(value)]);
      last = point.time;
    }
    pen.lineJoin = "round";
    pen.lineCap = "round";
    for (const run of runs) {
      const path = new Path2D();
      run.forEach(([x, height], index) => index ? path.lineTo(x, height) : path.moveTo(x, height));
      if (run.length === 1) path.lineTo(run[0][0] + 0.01, run[0][1]);
      pen.strokeStyle = this.colour(one.colour);
      pen.lineWidth = 1.75;
      pen.setLineDash(one.dash || []);
      pen.stroke(path);
      pen.setLineDash([]);
      if (!one.fill) continue;
      path.lineTo(run[run.length - 1][0], bottom);
      path.lineTo(run[0][0], bottom);
      pen.globalAlpha = 0.13;
      pen.fillStyle = this.colour(one.colour);
      pen.fill(path);
      pen.globalAlpha = 1;
    }
  }

  mark(y, bottom) {
    this.labels();
    const shown = this.shown;
    if (this.at === null || !shown) return;
    const pen = this.pen;
    const x = Math.round(this.x(shown.time)) + 0.5;
    pen.strokeStyle = this.colour("soft");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, margin.top);
    pen.lineTo(x, bottom);
    pen.stroke();
    for (const one of this.series) {
      const value = shown.values.get(one.path);
      if (value === null || value === undefined) continue;
      pen.fillStyle = this.colour(one.colour);
      pen.beginPath();
      pen.arc(x, y(value), 3.5, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  say() {
    const shown = this.shown;
    const said = this.series.map((one, index) => {
      const { text, unit } = figure(this.kind, shown ? shown.values.get(one.path) : null);
      const words = unit ? `${text} ${unit}` : text;
      if (this.values[index].textContent !== words) this.values[index].textContent = words;
      return `${one.name} ${words}`;
    });
    this.when.textContent = this.at === null || !shown ? "" : age((this.now - shown.time) / 1000);
    this.canvas.setAttribute("aria-label", `${this.host.dataset.title}, ${this.when.textContent || "now"}: ${said.join(", ")}`);
  }
}
