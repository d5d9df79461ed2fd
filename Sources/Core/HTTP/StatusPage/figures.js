// Numbers as people read them: three digits that count, a unit, and nothing that jumps in width
// while the figure stays in its decade.

const none = { text: "–", unit: "" };

function digits(value) {
  if (value === 0) return "0";
  if (value < 0.095) return value.toPrecision(1);
  if (value < 9.95) return value.toFixed(1);
  return value.toFixed(0);
}

function scaled(value, steps) {
  for (const [limit, divisor, unit] of steps) {
    if (value < limit) return { text: digits(value / divisor), unit };
  }
  const [, divisor, unit] = steps[steps.length - 1];
  return { text: digits(value / divisor), unit };
}

const thousands = [[999.5, 1, ""], [999.5e3, 1e3, "k"], [999.5e6, 1e6, "M"], [999.5e9, 1e9, "G"], [Infinity, 1e12, "T"]];
const bytes = [[999.5, 1, "B"], [999.5e3, 1e3, "kB"], [999.5e6, 1e6, "MB"], [999.5e9, 1e9, "GB"], [Infinity, 1e12, "TB"]];
const seconds = [[0.9995e-3, 1e-6, "µs"], [0.9995, 1e-3, "ms"], [99.5, 1, "s"], [5970, 60, "min"], [356400, 3600, "h"], [Infinity, 86400, "d"]];

// Three digits that count for large numbers: 1.23 k, 45.6 k, 789 k.
function thousandfold(value, steps) {
  const found = scaled(value, steps);
  const [, divisor] = steps.find(([limit]) => value < limit);
  const small = value / divisor;
  if (divisor === 1 && Number.isInteger(value)) found.text = String(value);
  if (divisor > 1) found.text = small < 9.995 ? small.toFixed(2) : small < 99.95 ? small.toFixed(1) : small.toFixed(0);
  return found;
}

const kinds = {
  count: value => thousandfold(value, thousands),
  rate: value => withUnit(thousandfold(value, thousands), "/s"),
  bytes: value => thousandfold(value, bytes),
  byterate: value => withUnit(thousandfold(value, bytes), "/s"),
  time: value => value === 0 ? { text: "0", unit: "ms" } : scaled(value, seconds),
  share: value => ({ text: (value * 100).toFixed(0), unit: "%" }),
  plain: value => ({ text: String(value), unit: "" }),
};

function withUnit(figure, unit) {
  return { text: figure.text, unit: figure.unit + unit };
}

// A figure of one of these kinds: its digits and its unit.
export function figure(kind, value) {
  if (value === null || value === undefined || value === "" || Number.isNaN(value)) return none;
  return kinds[kind](value);
}

// The same as one text.
export function words(kind, value) {
  const { text, unit } = figure(kind, value);
  return unit ? `${text} ${unit}` : text;
}

// How long ago, in one unit.
export function age(seconds) {
  if (seconds < 0.5) return "now";
  if (seconds < 60) return `${Math.round(seconds)} s ago`;
  if (seconds < 3570) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 84600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} d ago`;
}

// A span of time in two units: "3 d 4 h".
export function span(seconds) {
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const first = units.findIndex(([, length]) => seconds >= length);
  if (first < 0) return "0 s";
  const [unit, length] = units[first];
  const rest = units[first + 1];
  const much = `${Math.floor(seconds / length)} ${unit}`;
  return rest ? `${much} ${Math.floor(seconds % length / rest[1])} ${rest[0]}` : much;
}

// The member that a path like "rates.stored" leads to.
export function follow(path, value) {
  return path.split(".").reduce((place, name) => place === null || place === undefined ? place : place[name], value);
}
