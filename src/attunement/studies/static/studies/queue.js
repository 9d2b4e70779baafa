// Saves on their way to the server. Each is kept on this device until the server has it, so that
// nothing is lost when the network, the page or the browser goes away. They are sent in order; the
// same save sent twice, by two tabs or after a lost reply, is one save, since it carries an id.

const FIRST_WAIT_MS = 800;
const LONGEST_WAIT_MS = 15000;
const PATIENCE_MS = 20000;
const MOST_KEPT_ALIVE = 50000; // bytes that browsers let a request take along when its page goes

export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Pages that are not served over HTTPS have no randomUUID
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

export class Queue {
  // `tell` is called with what changed: {pending, failing, kept, at, trouble}, and {save, reply}.
  constructor(home, token, tell) {
    this.prefix = `attunement:${home}:`;
    this.token = token;
    this.tell = tell;
    this.unkept = new Map();
    this.failures = 0;
    this.count = 0;
    this.waiting = [];
    this.refusals = 0;
    addEventListener("online", () => this.now());
    this.hurry = false;
  }

  keys() {
    const found = [...this.unkept.keys()];
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const key = localStorage.key(i);
        if (key.startsWith(this.prefix)) found.push(key);
      }
    } catch { /* no storage here */ }
    return found.sort();
  }

  read(key) {
    if (this.unkept.has(key)) return this.unkept.get(key);
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  // The saves that the server does not have yet, oldest first.
  pending() {
    return this.keys().map((key) => this.read(key)).filter(Boolean);
  }

  get kept() {
    return this.unkept.size === 0;
  }

  drop(key) {
    this.unkept.delete(key);
    try {
      localStorage.removeItem(key);
    } catch { /* no storage here */ }
  }

  // Keep a save of one question and send it. A newer answer to the same question takes the place
  // of one that has not gone out yet.
  put({ url, place, dimension, values, seconds }) {
    for (const key of this.keys()) {
      const old = this.read(key);
      if (key === this.sending || !old) continue;
      if (old.url === url && old.place === place && old.dimension === dimension) {
        seconds += old.seconds;
        this.drop(key);
      }
    }
    const client = newId();
    const order = `${String(Date.now()).padStart(15, "0")}-${String(this.count++).padStart(6, "0")}`;
    const key = `${this.prefix}${order}-${client}`;
    const save = { url, place, dimension, values, seconds, client, at: Date.now() };
    try {
      localStorage.setItem(key, JSON.stringify(save));
    } catch {
      this.unkept.set(key, save);
    }
    this.changed();
    this.now();
  }

  // Resolves with true when all is saved, with false when something was refused.
  settled() {
    if (this.keys().length === 0) return Promise.resolve(true);
    this.now();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  now() {
    clearTimeout(this.timer);
    this.timer = null;
    this.run();
  }

  async run() {
    if (this.running) {
      this.hurry = true; // should what is on its way fail, it is tried again at once
      return;
    }
    this.running = true;
    for (let key = this.keys()[0]; key; key = this.keys()[0]) {
      const save = this.read(key);
      if (!save) {
        this.drop(key);
        continue;
      }
      this.sending = key;
      const said = await this.send(save);
      this.sending = null;
      if (said.again) {
        this.failures += 1;
        if (this.hurry) {
          this.hurry = false;
          continue;
        }
        const wait = Math.min(FIRST_WAIT_MS * 2 ** (this.failures - 1), LONGEST_WAIT_MS);
        this.timer = setTimeout(() => this.now(), wait * (0.75 + Math.random() / 2));
        this.changed({ trouble: said.trouble });
        break;
      }
      this.failures = 0;
      this.hurry = false;
      this.drop(key);
      if (said.refused) this.refusals += 1;
      this.changed({ at: said.refused ? undefined : new Date(), refused: said.refused && { ...said.refused, save }, save, reply: said.reply });
    }
    this.running = false;
    if (this.keys().length === 0) {
      const fine = this.refusals === 0;
      this.refusals = 0;
      for (const resolve of this.waiting.splice(0)) resolve(fine);
    }
  }

  async send(save) {
    const body = new URLSearchParams(save.values);
    body.set("place", save.place);
    body.set("dimension", save.dimension);
    body.set("client", save.client);
    body.set("seconds", save.seconds.toFixed(1));
    const text = body.toString();
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), PATIENCE_MS);
    try {
      const reply = await fetch(save.url, {
        method: "POST",
        body: text,
        headers: { "Content-Type": "application/x-www-form-urlencoded", "X-CSRFToken": this.token },
        keepalive: text.length < MOST_KEPT_ALIVE,
        redirect: "error",
        signal: stop.signal,
      });
      if (reply.ok) return { reply: await reply.json().catch(() => ({})) };
      if (reply.status === 403) return { again: true, trouble: "reload" };
      if (reply.status === 429 || reply.status >= 500) return { again: true };
      if (reply.status === 404 || reply.status === 410) return { refused: { gone: true } };
      const said = await reply.json().catch(() => ({}));
      return { refused: { why: said.message || said.error || String(reply.status), wrong: reply.status === 400 } };
    } catch {
      return { again: true };
    } finally {
      clearTimeout(timer);
    }
  }

  changed(more = {}) {
    this.tell({ pending: this.keys().length, failing: this.failures > 0, kept: this.kept, ...more });
  }
}
