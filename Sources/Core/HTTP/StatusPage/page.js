// The status page: reads reports as they come and puts them where they belong. Every text is set as
// text, so nothing that a device calls itself can become markup.
import { figure, words, span, age, follow } from "./figures.js";
import { Stream } from "./stream.js";
import { Plot, minutes } from "./plot.js";
import { FleetMap } from "./map.js";

const positionsInterval = 5000;
// Points older than that are as far apart as the server's own.
const fineMilliseconds = 600000;
const coarseMilliseconds = 4500;
const levels = { ok: "All is well", busy: "Busy", limit: "At its limit", trouble: "Trouble", idle: "Idle", others: "Busy elsewhere" };
const stageNames = ["edge", "queue", "lanes", "spool"];

const byID = id => document.getElementById(id);

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function make(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

// A figure and its unit: digits in one width, the unit small.
function put(element, kind, value) {
  const { text, unit } = figure(kind, value);
  if (!element.firstElementChild) element.append(make("span", "figure"), make("span", "unit"));
  const [digits, suffix] = element.children;
  setText(digits, text);
  setText(suffix, unit ? ` ${unit}` : "");
}

// As many rows as there are items; rows that are there stay, so nothing flickers and what is
// selected stays so.
function rows(table, items, build, fill, empty) {
  const body = table.tBodies[0];
  if (!items.length) {
    if (body.dataset.empty !== empty) {
      const cell = make("td", "soft", empty);
      cell.colSpan = table.tHead.rows[0].cells.length;
      body.replaceChildren(make("tr", "empty", cell));
      body.dataset.empty = empty;
    }
    return;
  }
  if (body.dataset.empty) {
    body.replaceChildren();
    delete body.dataset.empty;
  }
  while (body.rows.length > items.length) body.deleteRow(-1);
  while (body.rows.length < items.length) body.append(build());
  items.forEach((item, index) => fill(body.rows[index], item));
}

function cells(...classes) {
  return make("tr", "", ...classes.map(name => make("td", name)));
}

// MARK: Parts of the page

const shown = [...document.querySelectorAll("[data-show]")].map(element => {
  const mark = element.dataset.show.indexOf(":");
  return { element, kind: element.dataset.show.slice(0, mark), path: element.dataset.show.slice(mark + 1) };
});

const points = [];
const plots = [...document.querySelectorAll(".plot")].map(host => new Plot(host, points));
const map = new FleetMap(document.querySelector(".map"));

function chip(id, text, state) {
  const element = byID(id);
  setText(element.lastElementChild, text);
  element.dataset.state = state;
}

// A number stays with its unit when the line breaks.
function unbroken(text) {
  return text.replace(/(\d) (?=(?:%|µs|ms|s|min|h|k|M|G|[kMGT]?B)(?![\p{L}]))/gu, "$1\u00a0");
}

function banner(report) {
  const { level, sentence, stage } = report.bottleneck;
  document.querySelector(".banner").dataset.level = level;
  setText(byID("level"), levels[stage === "others" || (stage === "idle" && level === "ok") ? stage : level] || level);
  setText(byID("sentence"), unbroken(sentence));
  document.title = level === "trouble" || level === "limit" ? `${levels[level]} · Sluice status` : "Sluice status";
  chip("database", report.database_up ? "up" : "away", report.database_up ? "good" : "bad");
  chip("intake", report.available ? "taken" : "refused", report.available ? "good" : "bad");
  const spool = report.spool.state;
  chip("spool-state", spool, { off: "none", empty: "good", full: "bad" }[spool] || "warn");
}

function stages(report) {
  for (const stage of report.stages) {
    const host = document.querySelector(`[data-stage="${CSS.escape(stage.name)}"]`);
    if (!host) continue;
    if (!host.querySelector("dl")) {
      const list = make("dl");
      for (const name of ["in progress", "per second", "time each"]) list.append(make("dt", "", name), make("dd"));
      host.append(list, make("div", "meter", make("i")), make("p", "soft busy"));
    }
    const [count, rate, time] = host.querySelectorAll("dd");
    put(count, "count", stage.count);
    put(rate, "rate", stage.per_second);
    put(time, "time", stage.seconds);
    const share = stage.busy_share ?? null;
    meter(host.querySelector(".meter i"), share ?? 0);
    host.querySelector(".meter").classList.toggle("none", share === null);
    const servers = stage.servers > 1 ? ` of ${stage.servers}` : "";
    setText(host.querySelector(".busy"), stage.count === null ? "–" : share === null ? "no processing, only waiting" : `${words("share", share)}${servers} busy`);
    const { stage: hot, level } = report.bottleneck || {};
    host.toggleAttribute("data-hot", stage.name === hot && level !== "ok");
  }
}

function meter(bar, share) {
  bar.style.width = `${Math.min(Math.max(share, 0), 1) * 100}%`;
  bar.parentElement.dataset.level = share > 0.9 ? "limit" : share > 0.7 ? "busy" : "ok";
}

function lanes(report) {
  const build = () => {
    const row = cells("figure", "", "n", "n", "n", "n", "n", "n", "split");
    row.lastElementChild.append(make("div", "split", make("i", "teal"), make("i", "amber"), make("i", "blue"), make("i", "violet")));
    return row;
  };
  rows(byID("lanes"), report.lanes, build, (row, lane) => {
    const [number, state, waiting, batches, groups, wait, service, busy, parts] = row.cells;
    setText(number, String(lane.lane));
    setText(state, lane.up ? (lane.blocked > 0 ? `up, ${lane.blocked} blocked` : "up") : "away");
    state.className = lane.up && !(lane.blocked > 0) ? "good" : "bad";
    put(waiting, "count", lane.waiting_batches);
    put(batches, "rate", lane.batches);
    put(groups, "rate", lane.groups);
    put(wait, "time", lane.queue_wait_seconds);
    put(service, "time", lane.service_seconds);
    put(busy, "share", lane.busy_share);
    const shares = [lane.claim_share, lane.sift_share, lane.copy_share, lane.commit_share];
    [...parts.firstElementChild.children].forEach((bar, index) => { bar.style.width = `${shares[index] * 100}%`; });
    parts.title = ["claim", "sift", "copy", "commit"].map((name, index) => `${name} ${words("share", shares[index])}`).join(", ");
  }, "There are no lanes.");
}

// A name, a bar behind it, and a figure.
function bars(id, items, name, value, kind, empty) {
  const most = Math.max(...items.map(value), 0);
  rows(byID(id), items, () => {
    const row = cells("name", "n");
    row.firstElementChild.append(make("i"), make("span"));
    return row;
  }, (row, item) => {
    const [bar, text] = row.firstElementChild.children;
    bar.style.width = `${most ? value(item) / most * 100 : 0}%`;
    setText(text, name(item));
    text.title = name(item);
    put(row.lastElementChild, kind, value(item));
  }, empty);
}

const latencies = [["acknowledgement", "Acknowledged"], ["queue_wait", "Queue wait"], ["commit", "Group’s commit"], ["spool_sync", "Spool’s fsync"]];

function tables(report) {
  lanes(report);
  bars("slowest", report.slowest_devices.slice(0, 8), one => one.device_id, one => one.seconds, "time", "No device has sent a batch in the last seconds.");
  bars("reasons", report.quarantine.reasons.slice(0, 8), one => one.reason, one => one.total, "count", "No reading was quarantined.");
  rows(byID("latency"), latencies, () => cells("", "n", "n", "n", "n"), (row, [path, name]) => {
    const found = report.latency[path].minute;
    setText(row.cells[0], name);
    ["mean", "p50", "p90", "p99"].forEach((one, index) => put(row.cells[index + 1], "time", found[one]));
  }, "");
  rows(byID("routes"), report.routes, () => cells("figure", "n", "n", "n", "n", "n"), (row, route) => {
    setText(row.cells[0], route.route);
    put(row.cells[1], "rate", route.requests);
    put(row.cells[2], "rate", route.failures);
    put(row.cells[3], "count", route.total);
    put(row.cells[4], "time", route.minute.p50);
    put(row.cells[5], "time", route.minute.p99);
  }, "No requests except to /ingest.");
  meter(byID("spool-bar"), report.spool.bytes_max ? report.spool.bytes / report.spool.bytes_max : 0);
  meter(byID("flight-bar"), report.connections.in_flight_bytes / report.connections.in_flight_bytes_max);
}

// MARK: Reports

// Members that plots show and no report has under one name.
function derived(report) {
  return { lanes: follow("busy_share", report.stages.find(one => one.name === "lanes")) };
}

function remember(report) {
  const values = new Map();
  const whole = { ...report, busy: derived(report) };
  for (const plot of plots) {
    for (const { path } of plot.series) values.set(path, follow(path, whole));
  }
  const time = Date.now();
  points.push({ time, values });
  keep(points, time);
}

// What the server remembers comes with each connection, and fills what was missed without one.
function recall({ ages, values }) {
  const now = Date.now();
  const past = ages.map((age, index) => ({
    time: now - age * 1000,
    values: new Map(Object.entries(values).map(([path, column]) => [path, column[index]])),
  }));
  const own = points.filter(({ time }) => time < past[0].time || time > past[past.length - 1].time);
  keep([...past, ...own].sort((a, b) => a.time - b.time), now);
  for (const plot of plots) plot.draw();
}

// The points that plots show, from these: an hour, the older ones further apart.
function keep(all, now) {
  let last = -Infinity;
  const kept = all.filter(({ time }) => {
    const isOld = time < now - (minutes * 60 + 5) * 1000;
    if (isOld || (time < now - fineMilliseconds && time - last < coarseMilliseconds)) return false;
    last = time;
    return true;
  });
  points.splice(0, points.length, ...kept);
}

let last = null;
let lastAt = 0;

function show(report) {
  last = report;
  lastAt = Date.now();
  delete document.body.dataset.empty;
  for (const { element, kind, path } of shown) {
    const value = follow(path, report);
    if (kind === "plain") setText(element, value === null || value === undefined ? "–" : String(value));
    else put(element, kind, value);
  }
  setText(byID("uptime"), span(report.uptime_seconds));
  banner(report);
  stages(report);
  tables(report);
  remember(report);
  for (const plot of plots) plot.draw();
}

// MARK: Positions

// When devices were heard last, and why readings were refused.
async function heard() {
  const answer = await fetch("/status/devices", { cache: "no-store" });
  if (!answer.ok) return;
  const { at, devices, refusals } = await answer.json();
  const since = time => age(Math.max((Date.parse(at) - Date.parse(time)) / 1000, 0));
  if (devices) {
    rows(byID("heard"), devices, () => cells("", "n figure"), (row, one) => {
      setText(row.cells[0], one.device);
      setText(row.cells[1], since(one.heard));
    }, "No device has sent a batch yet.");
  }
  rows(byID("refused"), refusals, () => cells("", "", "n figure"), (row, one) => {
    setText(row.cells[0], one.device || one.key || `unknown key, ${one.route}`);
    row.cells[0].title = [one.device, one.key, one.route].filter(Boolean).join(", ");
    setText(row.cells[1], `${one.status}: ${one.sentence}`);
    setText(row.cells[2], since(one.at));
  }, "No batch was refused since the start.");
}

let positionsTimer = null;

async function positions() {
  clearTimeout(positionsTimer);
  positionsTimer = setTimeout(positions, positionsInterval);
  if (document.hidden || !isLive) return;
  const note = byID("map-note");
  try {
    heard().catch(() => {});
    const answer = await fetch("/status/positions", { cache: "no-store" });
    if (!answer.ok) {
      // What was seen last stays in sight, and says so.
      setText(note, map.devices.length ? "" : "Positions return when the database recovers");
      setText(byID("map-count"), map.devices.length ? "from before the database became unreachable" : "");
      return;
    }
    const { at, positions: found, limit } = await answer.json();
    const now = Date.parse(at);
    const devices = found.map(one => ({ ...one, t: Date.parse(one.t) }));
    setText(note, devices.length ? "" : "No device has sent a position yet");
    const count = devices.length < limit ? String(devices.length) : `the newest ${limit}`;
    setText(byID("map-count"), devices.length === 1 ? "1 device" : devices.length ? `${count} devices` : "");
    map.show(devices, now);
    rows(byID("positions"), devices.slice(0, 100), () => cells("", "n figure", "n figure", "n", "n figure"), (row, one) => {
      setText(row.cells[0], one.device);
      setText(row.cells[1], one.lat.toFixed(5));
      setText(row.cells[2], one.lon.toFixed(5));
      setText(row.cells[3], one.acc === null ? "–" : `${Math.round(one.acc)} m`);
      setText(row.cells[4], age(Math.max((now - one.t) / 1000, 0)));
    }, "No device has sent a position yet.");
  } catch {
    // The stream says that the server is away.
  }
}

// MARK: The connection

let isLive = false;

function link(state, detail) {
  const pill = byID("link");
  const texts = {
    live: "Live", away: "Reconnecting",
    refused: detail === 503 ? "Full or starting; retrying" : `Refused (${detail}); retrying`,
  };
  const wasLive = isLive;
  isLive = state === "live";
  pill.dataset.link = state;
  setText(byID("link-state"), texts[state]);
  if (isLive) setText(byID("link-age"), "");
  document.body.toggleAttribute("data-stale", state !== "live" && last !== null);
  if (isLive && !wasLive) positions();
}

setInterval(() => {
  if (!last || isLive) return;
  setText(byID("link-age"), ` · figures are ${span((Date.now() - lastAt) / 1000)} old`);
}, 1000);

// Until the first report every place says that nothing is known, in the size it will have.
for (const { element, kind } of shown) {
  if (kind !== "plain") put(element, kind, null);
}
stages({ stages: stageNames.map(name => ({ name, count: null, per_second: null, seconds: null, busy_share: 0, servers: 1 })) });
for (const id of ["lanes", "slowest", "reasons", "routes", "positions"]) rows(byID(id), [], null, null, "No data yet");

new Stream("/status/events", { history: recall, report: show, state: link, signedOut: () => location.reload() }).run();

document.addEventListener("visibilitychange", () => { if (!document.hidden) positions(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const drawing of [...plots, map]) drawing.draw();
});

byID("sign-out").addEventListener("click", async () => {
  await fetch("/status/session", { method: "DELETE" });
  location.reload();
});
