// Server-sent events read with fetch: other than EventSource it tells a sign-in that has ended from
// a server that is away, and notices a connection that is open and silent.

const silenceMax = 8000;
const waitsMax = 10000;

export class Stream {
  // - url: where the events come from.
  // - on: history(past), report(report), state(name, detail), signedOut().
  constructor(url, on) {
    this.url = url;
    this.on = on;
    this.wait = 500;
  }

  async run() {
    for (;;) {
      let end = { state: "away", pause: this.wait };
      try {
        end = await this.once();
      } catch {
        // Away, or cut off: the next try tells.
      }
      this.on.state(end.state, end.detail);
      await new Promise(done => setTimeout(done, end.pause));
      this.wait = Math.min(this.wait * 2, waitsMax);
    }
  }

  // One connection from its beginning to its end: how it ended, and how long to wait before the
  // next one.
  async once() {
    const abort = new AbortController();
    let alarm = setTimeout(() => abort.abort(), silenceMax);
    const heard = () => {
      clearTimeout(alarm);
      alarm = setTimeout(() => abort.abort(), silenceMax);
    };
    try {
      const headers = { Accept: "text/event-stream" };
      const answer = await fetch(this.url, { headers, cache: "no-store", signal: abort.signal });
      if (answer.status === 401 || answer.status === 403) {
        this.on.signedOut();
        return { state: "away", pause: waitsMax };
      }
      if (!answer.ok || !answer.body) {
        const pause = 1000 * (Number(answer.headers.get("Retry-After")) || 2);
        return { state: "refused", detail: answer.status, pause };
      }
      await this.read(answer.body, heard);
      return { state: "away", pause: this.wait };
    } finally {
      clearTimeout(alarm);
      abort.abort();
    }
  }

  async read(body, heard) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard();
      const lines = (rest + value).split("\n\n");
      rest = lines.pop();
      lines.forEach(block => this.event(block));
    }
  }

  event(block) {
    const fields = {};
    for (const line of block.split("\n")) {
      const mark = line.indexOf(":");
      if (mark > 0) fields[line.slice(0, mark)] = line.slice(mark + 1).replace(/^ /, "");
    }
    if (fields.retry) this.wait = Number(fields.retry) || this.wait;
    if (fields.event === "history") this.on.history(JSON.parse(fields.data));
    if (fields.event !== "report" || !fields.data) return;
    this.wait = 500;
    this.on.report(JSON.parse(fields.data));
    this.on.state("live");
  }
}
