// Where the fleet was last: a plain drawing without tiles from anywhere. Degrees are drawn with
// equal steps, those of longitude as much shorter as they are in the middle of what is shown. The
// outline is good to a degree, so it fades away where a degree is long; then the grid, the scale
// and the small world in the corner say where that is.
import { land, lakes } from "./world.js";
import { age } from "./figures.js";

const kilometresPerDegree = 111.2;
const spanMin = 0.01;
const outlineUntil = [45, 110];
const ages = [[60, "age-minute"], [900, "age-quarter"], [86400, "age-day"], [Infinity, "age-old"]];

export class FleetMap {
  constructor(host) {
    this.host = host;
    this.canvas = host.querySelector("canvas");
    this.tip = host.querySelector(".tip");
    this.pen = this.canvas.getContext("2d");
    this.devices = [];
    this.isFollowing = true;
    this.chosen = null;
    this.view = { longitude: 0, latitude: 20, scale: 1, squeeze: 1 };
    const moves = { in: () => this.zoom(2), out: () => this.zoom(0.5), fit: () => this.follow(), world: () => this.showWorld() };
    for (const button of host.querySelectorAll("[data-move]")) button.addEventListener("click", moves[button.dataset.move]);
    this.canvas.addEventListener("pointerdown", event => this.press(event));
    this.canvas.addEventListener("pointermove", event => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, () => { this.from = null; });
    this.canvas.addEventListener("pointerleave", () => this.choose(null));
    this.canvas.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.isFollowing ? this.follow() : this.draw()).observe(this.canvas);
  }

  // - devices: { device, t (milliseconds), lat, lon, acc, alt, speed }, newest first.
  // - now: by the server's clock, milliseconds.
  show(devices, now) {
    this.devices = devices;
    this.now = now;
    this.canvas.setAttribute("aria-label", `Map of the last positions of ${devices.length} devices`);
    if (this.chosen) this.chosen = devices.find(one => one.device === this.chosen.device) || null;
    if (this.isFollowing && !this.fits()) this.fit();
    this.draw();
  }

  // MARK: What is shown

  get size() { return [this.canvas.clientWidth, this.canvas.clientHeight]; }

  box() {
    const box = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity };
    for (const { lat, lon } of this.devices) {
      box.west = Math.min(box.west, lon);
      box.east = Math.max(box.east, lon);
      box.south = Math.min(box.south, lat);
      box.north = Math.max(box.north, lat);
    }
    return box;
  }

  // All devices are in sight, and not all in one corner of a large map.
  fits() {
    const [width, height] = this.size;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const one of this.devices) {
      const [x, y] = this.place(one.lon, one.lat);
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
    if (left < 8 || top < 8 || right > width - 8 || bottom > height - 8) return false;
    return right - left > width / 3 || bottom - top > height / 3 || this.view.scale > height / spanMin / 4;
  }

  fit() {
    if (!this.devices.length) {
      this.worldView();
      return;
    }
    const [width, height] = this.size;
    const { west, east, south, north } = this.box();
    const latitude = (south + north) / 2;
    const squeeze = Math.cos(Math.min(Math.abs(latitude), 75) * Math.PI / 180);
    const room = [Math.max(width - 110, 80), Math.max(height - 90, 60)];
    const scale = Math.min(
      room[0] / Math.max((east - west) * squeeze, spanMin), room[1] / Math.max(north - south, spanMin));
    const world = this.worldScale();
    if (scale <= world) {
      this.worldView();
    } else {
      this.view = { longitude: (west + east) / 2, latitude, scale, squeeze };
    }
  }

  worldScale() {
    const [width, height] = this.size;
    return Math.min(width / 362, height / 150);
  }

  worldView() {
    this.view = { longitude: 5, latitude: 12, scale: this.worldScale(), squeeze: 1 };
  }

  follow() {
    this.isFollowing = true;
    this.fit();
    this.draw();
  }

  showWorld() {
    this.isFollowing = false;
    this.worldView();
    this.draw();
  }

  zoom(factor) {
    this.isFollowing = false;
    const scale = this.view.scale * factor;
    this.view.scale = Math.min(Math.max(scale, this.worldScale()), this.size[1] / 0.002);
    const { latitude } = this.view;
    const wide = this.view.scale < this.worldScale() * 2;
    this.view.squeeze = wide ? 1 : Math.cos(Math.min(Math.abs(latitude), 75) * Math.PI / 180);
    this.draw();
  }

  move(x, y) {
    this.isFollowing = false;
    const { scale, squeeze } = this.view;
    this.view.longitude = Math.min(Math.max(this.view.longitude + x / (scale * squeeze), -180), 180);
    this.view.latitude = Math.min(Math.max(this.view.latitude + y / scale, -85), 85);
    this.draw();
  }

  // MARK: Hands

  press(event) {
    if (event.pointerType === "touch") {
      this.choose(this.near(event));
      return;
    }
    this.from = [event.offsetX, event.offsetY];
    this.canvas.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (!this.from) {
      if (event.pointerType !== "touch") this.choose(this.near(event));
      return;
    }
    const [x, y] = this.from;
    this.from = [event.offsetX, event.offsetY];
    this.move(x - event.offsetX, event.offsetY - y);
  }

  key(event) {
    const step = 60;
    const moves = {
      ArrowLeft: () => this.move(-step, 0), ArrowRight: () => this.move(step, 0),
      ArrowUp: () => this.move(0, step), ArrowDown: () => this.move(0, -step),
      "+": () => this.zoom(2), "=": () => this.zoom(2), "-": () => this.zoom(0.5), 0: () => this.follow(),
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    moves[event.key]();
  }

  near({ offsetX, offsetY }) {
    let best = null;
    let least = 16 ** 2;
    for (const one of this.devices) {
      const [x, y] = this.place(one.lon, one.lat);
      const far = (x - offsetX) ** 2 + (y - offsetY) ** 2;
      if (far < least) [best, least] = [one, far];
    }
    return best;
  }

  choose(device) {
    if (device === this.chosen) return;
    this.chosen = device;
    this.draw();
  }

  // MARK: Drawing

  place(longitude, latitude) {
    const [width, height] = this.size;
    const { scale, squeeze } = this.view;
    return [
      width / 2 + (longitude - this.view.longitude) * scale * squeeze,
      height / 2 - (latitude - this.view.latitude) * scale,
    ];
  }

  colour(name) { return this.style.getPropertyValue("--" + name); }

  draw() {
    const scale = window.devicePixelRatio || 1;
    const [width, height] = this.size;
    if (!width) return;
    if (this.canvas.width !== Math.round(width * scale)) this.canvas.width = Math.round(width * scale);
    if (this.canvas.height !== Math.round(height * scale)) this.canvas.height = Math.round(height * scale);
    const pen = this.pen;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.style = getComputedStyle(this.canvas);
    pen.fillStyle = this.colour("map");
    pen.fillRect(0, 0, width, height);
    const [full, gone] = outlineUntil;
    const outline = Math.min(Math.max((gone - this.view.scale) / (gone - full), 0), 1);
    if (outline > 0) this.world(outline, width, height);
    this.graticule(width, height);
    this.dots();
    this.scaleBar(height);
    if (outline < 1) this.locator(width, height);
    this.label();
  }

  trace(polygons, place) {
    const path = new Path2D();
    for (const points of polygons) {
      points.forEach(([longitude, latitude], index) => {
        const [x, y] = place(longitude, latitude);
        if (index) path.lineTo(x, y); else path.moveTo(x, y);
      });
      path.closePath();
    }
    return path;
  }

  world(opacity, width, height) {
    const pen = this.pen;
    pen.globalAlpha = opacity;
    pen.fillStyle = this.colour("water");
    pen.fillRect(0, 0, width, height);
    // What lies beyond 180 degrees is drawn on both sides.
    for (const turn of [-360, 0, 360]) {
      const place = (longitude, latitude) => this.place(longitude + turn, latitude);
      const path = this.trace(land, place);
      pen.fillStyle = this.colour("land");
      pen.fill(path);
      pen.strokeStyle = this.colour("coast");
      pen.lineWidth = 0.75;
      pen.stroke(path);
      pen.fillStyle = this.colour("water");
      pen.fill(this.trace(lakes, place));
    }
    pen.globalAlpha = 1;
  }

  graticule(width, height) {
    const pen = this.pen;
    const { scale, squeeze, longitude, latitude } = this.view;
    const steps = [90, 60, 30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];
    pen.strokeStyle = this.colour("grid");
    pen.fillStyle = this.colour("soft");
    pen.lineWidth = 1;
    pen.font = `11px ${this.style.fontFamily}`;
    const lines = (perDegree, middle, span, limit, draw) => {
      const step = steps.findLast(one => one * perDegree >= 88) || steps[0];
      const digits = step >= 1 ? 0 : String(step).split(".")[1].length;
      const first = Math.ceil((middle - span / 2 / perDegree) / step);
      const last = Math.floor((middle + span / 2 / perDegree) / step);
      for (let index = first; index <= last; index += 1) {
        if (Math.abs(index * step) <= limit) draw(index * step, digits);
      }
    };
    lines(scale * squeeze, longitude, width, 180, (degrees, digits) => {
      const x = Math.round(this.place(degrees, 0)[0]) + 0.5;
      this.rule(x, 0, x, height);
      pen.textAlign = "center";
      pen.textBaseline = "top";
      if (x > 60 && x < width - 30) this.write(named(degrees, digits, "E", "W"), x, 6);
    });
    lines(scale, latitude, height, 90, (degrees, digits) => {
      const y = Math.round(this.place(0, degrees)[1]) + 0.5;
      this.rule(0, y, width, y);
      pen.textAlign = "left";
      pen.textBaseline = "middle";
      if (y > 30 && y < height - 44) this.write(named(degrees, digits, "N", "S"), 8, y);
    });
  }

  rule(...ends) {
    this.pen.beginPath();
    this.pen.moveTo(ends[0], ends[1]);
    this.pen.lineTo(ends[2], ends[3]);
    this.pen.stroke();
  }

  write(text, x, y) {
    const pen = this.pen;
    pen.save();
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = this.colour("map");
    pen.fillStyle = this.colour("soft");
    pen.strokeText(text, x, y);
    pen.fillText(text, x, y);
    pen.restore();
  }

  // Oldest first, so that the newest is on top.
  dots() {
    const pen = this.pen;
    const [width, height] = this.size;
    for (const one of this.devices.toReversed()) {
      const [x, y] = this.place(one.lon, one.lat);
      if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
      const seconds = (this.now - one.t) / 1000;
      pen.fillStyle = this.colour(ages.find(([limit]) => seconds < limit)[1]);
      pen.strokeStyle = this.colour("halo");
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.arc(x, y, 4.5, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
    }
    if (!this.chosen) return;
    const [x, y] = this.place(this.chosen.lon, this.chosen.lat);
    pen.strokeStyle = this.colour("text");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x, y, 7.5, 0, 2 * Math.PI);
    pen.stroke();
    const radius = (this.chosen.acc || 0) / 1000 / kilometresPerDegree * this.view.scale;
    if (radius < 9 || radius > 4000) return;
    pen.globalAlpha = 0.18;
    pen.fillStyle = this.colour("age-minute");
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
    pen.globalAlpha = 1;
  }

  scaleBar(height) {
    const pen = this.pen;
    const pixelsPerKilometre = this.view.scale / kilometresPerDegree;
    const longest = 110 / pixelsPerKilometre;
    const power = 10 ** Math.floor(Math.log10(longest));
    const length = [5, 2, 1].map(step => step * power).find(step => step <= longest);
    const name = length >= 1 ? `${length} km` : `${Math.round(length * 1000)} m`;
    const y = height - 14;
    pen.strokeStyle = this.colour("text");
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(12, y - 5);
    pen.lineTo(12, y);
    pen.lineTo(12 + length * pixelsPerKilometre, y);
    pen.lineTo(12 + length * pixelsPerKilometre, y - 5);
    pen.stroke();
    pen.textAlign = "left";
    pen.textBaseline = "bottom";
    this.write(name, 17, y - 3);
  }

  // The small world, and in it what is shown.
  locator(width, height) {
    const pen = this.pen;
    const [across, down] = width < 480 ? [96, 44] : [144, 66];
    const [left, top] = [width - across - 10, height - down - 10];
    pen.save();
    pen.beginPath();
    pen.roundRect(left, top, across, down, 6);
    pen.fillStyle = this.colour("water");
    pen.fill();
    pen.strokeStyle = this.colour("line");
    pen.lineWidth = 1;
    pen.stroke();
    pen.clip();
    const place = (longitude, latitude) => [left + (longitude + 180) / 360 * across, top + (82 - latitude) / 142 * down];
    pen.fillStyle = this.colour("land");
    pen.fill(this.trace(land, place));
    const [x, y] = place(this.view.longitude, this.view.latitude);
    const half = [width / 2 / this.view.scale / this.view.squeeze / 360 * across, height / 2 / this.view.scale / 142 * down];
    pen.strokeStyle = this.colour("bad");
    pen.lineWidth = 1.5;
    if (half[0] > 4) {
      pen.strokeRect(x - half[0], y - half[1], half[0] * 2, half[1] * 2);
    } else {
      pen.beginPath();
      pen.arc(x, y, 4, 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.restore();
  }

  label() {
    const one = this.chosen;
    this.tip.hidden = !one;
    if (!one) return;
    const [width] = this.size;
    const [x, y] = this.place(one.lon, one.lat);
    const [name, facts] = this.tip.children;
    name.textContent = one.device;
    const accuracy = one.acc === null ? "" : `, ± ${Math.round(one.acc)} m`;
    const altitude = one.alt === null ? "" : `, ${Math.round(one.alt)} m high`;
    const speed = one.speed === null ? "" : `, ${one.speed.toFixed(1)} m/s`;
    facts.textContent = `${age(Math.max((this.now - one.t) / 1000, 0))} · ${one.lat.toFixed(4)}, ${one.lon.toFixed(4)}${accuracy}${altitude}${speed}`;
    const half = this.tip.offsetWidth / 2;
    this.tip.style.left = `${Math.min(Math.max(x, half + 6), width - half - 6)}px`;
    const above = y - this.tip.offsetHeight - 14;
    this.tip.style.top = `${above > 4 ? above : y + 14}px`;
  }
}

function named(degrees, digits, positive, negative) {
  const text = Math.abs(degrees).toFixed(digits);
  return Number(text) === 0 ? "0°" : `${text}° ${degrees > 0 ? positive : negative}`;
}
