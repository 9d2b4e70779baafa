/* A conversation: what is sent is sent once, a draft stays on the device until it is stored, and the
   page asks for the reply only while one is being written. Without this script the forms work too. */
"use strict";

(() => {
  const ended = document.querySelector("[data-ended]");
  if (ended) {
    store("remove", draftOf(ended.dataset.ended));
    return;
  }
  const root = document.querySelector("[data-chat]");
  if (!root) return;

  const SOON_MS = 400, LATER_MS = 1500, PATIENT_MS = 30000, OFFLINE_MS = 3000, LONGEST_WAIT_MS = 45000;
  const address = root.dataset.chat;
  const key = draftOf(address);
  const find = (name) => root.querySelector(`[data-${name}]`);
  const log = find("messages"), note = find("note"), form = find("say"), send = find("send");
  const text = form.elements.text, client = form.elements.client;
  const word = (name) =>
    document.getElementById("words").content.querySelector(`[data-word="${name}"]`).textContent;

  let pending = root.dataset.pending === "1";
  let sending = false;
  let timer = 0;
  let since = Date.now();

  /* Time that the page was visible, sent along with what is done */
  let visible = 0, seen = document.hidden ? 0 : Date.now();
  function seconds() {
    if (seen) { visible += Date.now() - seen; seen = Date.now(); }
    const out = (visible / 1000).toFixed(1);
    visible = 0;
    return out;
  }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { if (seen) visible += Date.now() - seen; seen = 0; }
    else { seen = Date.now(); look(0); }
  });

  /* ------------------------------------------------------------------------------------- drafts */
  /* Under the personal link, so that leaving the study (forget.js) finds it */
  function draftOf(chat) {
    return `attunement:/${chat.split("/").slice(1, 3).join("/")}/:draft:${chat}`;
  }
  function store(act, name, value) {
    try {
      if (act === "get") return localStorage.getItem(name);
      if (act === "set") localStorage.setItem(name, value);
      else localStorage.removeItem(name);
    } catch { /* a browser that keeps nothing: the page works all the same */ }
    return null;
  }
  function keep() {
    if (text.value.trim()) store("set", key, JSON.stringify({ text: text.value, client: client.value }));
    else store("remove", key);
  }
  function recall() {
    try {
      const draft = JSON.parse(store("get", key) || "null");
      if (!draft || typeof draft.text !== "string" || typeof draft.client !== "string") return;
      if (text.value.trim()) return; // the server gave a refused text back
      text.value = draft.text;
      client.value = draft.client;
    } catch { store("remove", key); }
  }
  function renew() {
    text.value = "";
    client.value = newId();
    store("remove", key);
  }
  function newId() {
    return [...crypto.getRandomValues(new Uint8Array(16))]
      .map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  /* A message that arrived although its answer did not is no draft any more. */
  function forgetSent() {
    if (log.querySelector(`[data-client="${CSS.escape(client.value)}"]`)) renew();
  }
  window.addEventListener("storage", (event) => {
    if (event.key !== key || sending) return;
    if (event.newValue === null) { text.value = ""; client.value = newId(); look(0); }
    else { text.value = ""; recall(); }
  });
  text.addEventListener("input", keep);

  /* -------------------------------------------------------------------------------------- turns */
  function firstOpen() {
    const all = [...log.children];
    const open = all.find((one) => one.dataset.status !== "done");
    if (open) return Number(open.dataset.n);
    return all.length ? Number(all[all.length - 1].dataset.n) + 1 : 0;
  }

  function show(state, from) {
    const known = new Map([...log.children].map((one) => [Number(one.dataset.n), one]));
    const reading = isNear();
    let grew = false;
    for (const said of state.messages) {
      let item = known.get(said.n);
      if (said.status === "failed" && !said.text) continue;
      if (!item) {
        item = document.getElementById("message").content.firstElementChild.cloneNode(true);
        item.dataset.n = said.n;
        item.classList.add(said.role);
        item.querySelector(".who").textContent = word(said.role);
        if (said.client) item.dataset.client = said.client;
        log.append(item);
        grew = true;
      }
      known.delete(said.n);
      item.dataset.status = said.status;
      item.setAttribute("aria-busy", String(said.status === "waiting" || said.status === "writing"));
      const place = item.querySelector(".said");
      if (place.textContent !== said.text) { place.textContent = said.text; grew = true; }
    }
    for (const [n, item] of known) if (n >= from) item.remove();

    const came = pending && !state.pending && !state.failed;
    pending = state.pending;
    send.disabled = sending || pending;
    form.hidden = state.full;
    find("full").hidden = !state.full;
    find("again").hidden = !state.failed;
    find("finish").disabled = !state.canFinish;
    const count = find("count");
    find("finish-hint").hidden = state.turns >= Number(count.dataset.least);
    count.textContent = state.turns === 1
      ? count.dataset.one : count.dataset.many.replace("{n}", String(state.turns));
    note.textContent = pending ? word("writing") : came ? word("came") : "";
    note.classList.toggle("quiet", came);
    if (grew && reading) reveal();
  }

  /* The page follows what is written, until the beginning of it would leave the window. */
  const MARGIN = 72;
  function isNear() {
    const last = log.lastElementChild;
    return !last || last.getBoundingClientRect().bottom < window.innerHeight + MARGIN;
  }
  function reveal() {
    const box = log.lastElementChild.getBoundingClientRect();
    const down = Math.min(box.bottom - window.innerHeight + MARGIN, box.top - MARGIN);
    if (down > 0) window.scrollBy({ top: down });
  }

  /* ------------------------------------------------------------------------------------ network */
  async function ask(path, options) {
    const stop = new AbortController();
    const limit = setTimeout(() => stop.abort(), LONGEST_WAIT_MS);
    try {
      const response = await fetch(address + path, {
        ...options, signal: stop.signal, headers: { Accept: "application/json" },
      });
      const typed = response.headers.get("Content-Type") || "";
      if (!typed.includes("application/json")) throw new Error(String(response.status));
      return await response.json();
    } finally { clearTimeout(limit); }
  }

  function look(wait) {
    clearTimeout(timer);
    timer = setTimeout(poll, wait);
  }
  async function poll() {
    if (sending) return;
    const from = firstOpen();
    try {
      const state = await ask(`?since=${from}`);
      if (sending) return;
      apply(state, from);
    } catch {
      if (pending) note.textContent = word("waiting");
      if (pending) look(OFFLINE_MS);
    }
  }
  function apply(state, from) {
    if (state.ended) { location.reload(); return; }
    const before = pending;
    show(state, from);
    forgetSent();
    if (pending && !before) since = Date.now();
    if (pending && !document.hidden) look(Date.now() - since > PATIENT_MS ? LATER_MS : SOON_MS);
  }

  async function post(path, body, failed) {
    if (sending) return false;
    sending = true;
    send.disabled = true;
    clearTimeout(timer);
    find("refused")?.remove();
    body.set("seconds", seconds());
    try {
      const state = await ask(path, { method: "POST", body });
      sending = false;
      apply(state, 0);
      if (state.refused) refuse(state.refused);
      return !state.refused;
    } catch {
      sending = false;
      send.disabled = pending;
      refuse(word(navigator.onLine ? "unsent" : failed));
      if (pending) look(OFFLINE_MS);
      return false;
    }
  }
  function refuse(words) {
    find("refused")?.remove();
    const said = document.createElement("p");
    said.className = "error";
    said.setAttribute("role", "alert");
    said.dataset.refused = "";
    said.textContent = words;
    form.before(said);
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!text.value.trim()) { text.focus(); return; }
    if (pending || sending) return;
    keep();
    if (await post("say/", new FormData(form), "offline")) forgetSent();
    text.focus({ preventScroll: true });
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  find("again").addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = new FormData(event.target);
    if (await post("again/", body, "waiting")) text.focus({ preventScroll: true });
  });
  find("end").addEventListener("submit", () => {
    find("end").elements.seconds.value = seconds();
  });
  window.addEventListener("online", () => { find("refused")?.remove(); look(0); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) look(0); });

  recall();
  forgetSent();
  if (log.lastElementChild) reveal();
  if (pending) look(SOON_MS);
  else look(0);
})();
