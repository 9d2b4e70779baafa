// A page of work: every change is saved as it happens, and passages are marked in the text.

import { apply, clear, controls, faultOf, isAnswered, isTouched, note, settle, valuesOf } from "./answers.js";
import { instructions } from "./instructions.js";
import { digitsOf, isTyping, showDigits } from "./keys.js";
import { Marker } from "./marks.js";
import { Queue } from "./queue.js";
import { takeSeconds } from "./visible.js";

const TYPING_MS = 700; // a text is saved when nothing was typed for so long
const LEAVING_MS = 1500; // a link waits so long for what is being saved
const CLICK_MS = 250; // a click that ends a text is over before anything below the text moves
const UNSENT_MS = 2000; // what has been on its way for longer is worth a warning

const work = document.querySelector(".work");
const url = work.dataset.page;
const words = document.querySelector("[data-words]").dataset;
const language = document.documentElement.lang;
const clock = new Intl.DateTimeFormat(language, { timeStyle: "short" });
const next = work.querySelector("[data-next]");
const shown = { saved: work.querySelector("[data-status]"), trouble: work.querySelector("[data-trouble]") };
const said = document.querySelector("[data-said]");
const undoButton = work.querySelector("[data-undo]");
const markers = new Map(); // section: Marker
const typing = new Map(); // fieldset: timer
const touched = new Set(); // fieldsets saved since the last look at the server
const undoable = [];
let known = Number(work.dataset.version); // what of the saves of this page is shown here
let goingOn = false;
let leaving = false;
// What the server found wrong, by its question: why
const refusals = new Map();

function say(text) {
  said.textContent = text;
}

// --- saving

const token = next.querySelector("[name=csrfmiddlewaretoken]").value;
const queue = new Queue(work.dataset.home, token, ({ pending, failing, kept, at, trouble, refused, save, reply }) => {
  if (refused) complain(refused);
  const fault = firstFault();
  if (trouble === "reload") tell(words.reload, "failing");
  else if (pending && failing) tell(kept ? words.offline : words.unkept, "failing");
  else if (pending) tell(goingOn ? words.waiting : words.saving, "saving");
  else if (fault) tell(words.refused.replace("{why}", fault), "failing");
  else if (at) tell(words.saved.replace("{time}", clock.format(at)), "fine");
  else tell("", "fine");
  if (reply && save.url === `${url}save/`) compare(reply);
});

// What a save says of the page's versions: was anything saved by another window before it?
function compare({ before, version }) {
  if (version === undefined) return;
  const others = before !== known;
  known = version;
  if (others) refresh();
}

function tell(text, state) {
  if (shown.saved.textContent !== text) shown.saved.textContent = text;
  shown.saved.dataset.state = state;
}

function complain({ why, gone, wrong, save }) {
  const text = gone ? words.gone : words.refused.replace("{why}", why);
  shown.trouble.textContent = text;
  const fieldset = save.url === `${url}save/` && fieldsetOf(save.place, save.dimension);
  if (!fieldset) return;
  note(fieldset, text);
  if (wrong) refusals.set(fieldset, why);
}

function fieldsetOf(place, dimension) {
  return document.querySelector(`.unit[data-place="${place}"] fieldset[data-dimension="${dimension}"]`);
}

function markerOf(fieldset) {
  return markers.get(fieldset.closest(".unit"));
}

function save(fieldset) {
  clearTimeout(typing.get(fieldset));
  typing.delete(fieldset);
  refusals.delete(fieldset);
  // A number that cannot be one stays on the page, and what else was said here is saved
  if (faultIn(fieldset)) setTimeout(() => note(fieldset, faultIn(fieldset)), CLICK_MS);
  else note(fieldset, "");
  const dimension = fieldset.dataset.dimension;
  const wrong = controls(fieldset).filter((c) => faultOf(c, words)).map((c) => c.name);
  const values = valuesOf(fieldset).filter(([name]) => !wrong.includes(name));
  const marker = markerOf(fieldset);
  if (marker?.wants(dimension)) values.push([`${dimension}.offsets`, JSON.stringify(marker.rows(dimension))]);
  touched.add(fieldset);
  fieldset.closest(".unit").dataset.prefilled = prefilled(fieldset.closest(".unit")).filter((d) => d !== dimension).join(" ");
  queue.put({ url: `${url}save/`, place: Number(fieldset.closest(".unit").dataset.place), dimension, values, seconds: takeSeconds() });
  look(fieldset);
}

function faultIn(fieldset) {
  return controls(fieldset).map((c) => faultOf(c, words)).find(Boolean) ?? "";
}

function firstFault() {
  return fieldsets().map((one) => faultIn(one) || refusals.get(one)).find(Boolean) ?? "";
}

function prefilled(section) {
  return (section.dataset.prefilled ?? "").split(" ").filter(Boolean);
}

function flush() {
  for (const fieldset of [...typing.keys()]) save(fieldset);
}

// Show whether a question is answered.
function look(fieldset) {
  const marker = markerOf(fieldset);
  const isSpans = fieldset.dataset.control === "spans";
  const answered = (isAnswered(fieldset) && !faultIn(fieldset)) || Boolean(isSpans && marker?.rows(fieldset.dataset.dimension).length);
  fieldset.classList.toggle("answered", answered);
  const button = fieldset.querySelector(".clear");
  if (button) button.hidden = !answered;
  if (answered && fieldset.classList.contains("lacking")) {
    fieldset.classList.remove("lacking");
    // It keeps its place: what moves while somebody clicks below it is not what they clicked
    fieldset.querySelector(".missing")?.classList.add("solved");
    const rest = (fieldset.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => !id.endsWith("-missing"));
    if (rest.length) fieldset.setAttribute("aria-describedby", rest.join(" "));
    else fieldset.removeAttribute("aria-describedby");
  }
}

// --- questions

function fieldsets() {
  return [...work.querySelectorAll("fieldset.dimension")];
}

for (const section of work.querySelectorAll(".unit")) {
  if (section.querySelector("[data-text]") && section.querySelector("textarea[data-spans]")) {
    const marker = new Marker(section, { words, language, say, changed: marked });
    markers.set(section, marker);
    section.classList.add("marking");
    for (const [dimension, rows] of Object.entries(JSON.parse(section.dataset.marks))) marker.set(dimension, rows);
  }
  section.querySelector("form.form").addEventListener("submit", (event) => event.preventDefault());
}

for (const fieldset of fieldsets()) {
  showDigits(fieldset);
  if (fieldset.dataset.control === "radio") {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain clear";
    button.textContent = words.clear;
    button.setAttribute("aria-label", words.clearWhat.replace("{what}", fieldset.querySelector("legend").textContent.trim()));
    button.addEventListener("click", () => {
      clear(fieldset);
      save(fieldset);
      fieldset.querySelector("input").focus();
    });
    fieldset.append(button);
  }
  fieldset.addEventListener("input", (event) => {
    if (event.target.matches("[type=radio], [type=checkbox]")) return; // these say "change"
    settle(fieldset, event.target);
    clearTimeout(typing.get(fieldset));
    typing.set(fieldset, setTimeout(() => save(fieldset), TYPING_MS));
    if (queue.kept) tell(words.saving, "saving");
  });
  fieldset.addEventListener("change", (event) => {
    if (!event.target.matches("[type=radio], [type=checkbox]") && !typing.has(fieldset)) return;
    settle(fieldset, event.target);
    // Passages are the answer here, and "none of these" takes them back
    if (fieldset.dataset.control === "spans" && event.target.checked) unmark(fieldset);
    save(fieldset);
  });
}

const early = fieldsets().filter(isTouched);

// What was entered on this page and has not arrived yet, such as before a reload
for (const one of queue.pending()) {
  const fieldset = one.url === `${url}save/` && fieldsetOf(one.place, one.dimension);
  if (!fieldset) continue;
  const values = {};
  for (const [name, value] of one.values) (values[name] ??= []).push(value);
  put(fieldset, values);
}
fieldsets().forEach(look);
// What was entered while the scripts were on their way
for (const fieldset of early) save(fieldset);
if (queue.pending().length) queue.changed();
queue.now();

function put(fieldset, values) {
  apply(fieldset, values);
  const marker = markerOf(fieldset);
  const dimension = fieldset.dataset.dimension;
  if (marker?.wants(dimension)) marker.set(dimension, JSON.parse(values[`${dimension}.offsets`]?.[0] ?? "[]"));
}

// --- marks

function marked(marker, fieldset, before) {
  undoable.push({ marker, fieldset, before });
  undoButton.hidden = false;
  if (fieldset.dataset.control === "spans" && marker.rows(fieldset.dataset.dimension).length) clear(fieldset);
  save(fieldset);
}

function unmark(fieldset) {
  const marker = markerOf(fieldset);
  const before = marker?.rows(fieldset.dataset.dimension) ?? [];
  if (!before.length) return;
  undoable.push({ marker, fieldset, before });
  undoButton.hidden = false;
  marker.set(fieldset.dataset.dimension, []);
}

function undo() {
  const last = undoable.pop();
  undoButton.hidden = undoable.length === 0;
  if (!last) return;
  last.marker.set(last.fieldset.dataset.dimension, last.before);
  if (last.fieldset.dataset.control === "spans" && last.before.length) clear(last.fieldset);
  save(last.fieldset);
  say(words.undone);
}

undoButton.addEventListener("click", () => {
  undo();
  if (undoButton.hidden) document.getElementById("main").focus({ preventScroll: true });
});

// --- keys

function openQuestion(after, fits = () => true) {
  const all = fieldsets();
  const rest = all.slice(after ? all.indexOf(after) + 1 : 0);
  return rest.find((f) => !f.classList.contains("answered") && fits(f));
}

// A question that may be left out and has no number keys: the next digit would be typed into it.
function isAside(fieldset) {
  return Boolean(fieldset.querySelector("legend .optional")) && !digitsOf(fieldset).size;
}

function goTo(fieldset) {
  const first = fieldset ? fieldset.querySelector("input, select[name], textarea:not([data-spans])") : next.querySelector("button");
  if (!first) return;
  first.focus({ preventScroll: true });
  (fieldset ?? next).scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

function answer(digit) {
  const here = document.activeElement?.closest?.("fieldset.dimension") ?? openQuestion();
  const choice = here && digitsOf(here).get(digit);
  if (!choice) return false;
  if (!(choice.type === "radio" && choice.checked)) choice.click();
  if (choice.type === "radio") goTo(openQuestion(here, (f) => !isAside(f)));
  else choice.focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || instructions.open || isTyping(event.target)) return;
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z") {
    if (undoable.length) {
      event.preventDefault();
      undo();
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || instructions.keysOff) return;
  if (event.key === "i" || event.key === "?") instructions.show();
  else if (event.key === "m" && markers.size) {
    const section = document.activeElement?.closest?.(".unit");
    (markers.get(section) ?? [...markers.values()][0]).begin();
  } else if (!(/^\d$/.test(event.key) && answer(event.key))) return;
  event.preventDefault();
});

// --- going on, leaving, coming back

next.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (goingOn) return;
  goingOn = true;
  shown.trouble.textContent = "";
  flush();
  const faulty = fieldsets().find(faultIn);
  if (faulty) {
    note(faulty, faultIn(faulty));
    tell(words.refused.replace("{why}", faultIn(faulty)), "failing");
    goTo(faulty);
    goingOn = false;
    return;
  }
  // What the server found wrong is nowhere but on this page: it is tried once more, and waits here
  for (const fieldset of [...refusals.keys()]) save(fieldset);
  if (await queue.settled()) {
    next.querySelector("[name=seconds]").value = takeSeconds().toFixed(1);
    leaving = true;
    next.submit();
  } else {
    goingOn = false;
    const [refused] = refusals.keys();
    if (refused) goTo(refused);
  }
});

async function beforeLeaving() {
  flush();
  await Promise.race([queue.settled(), new Promise((resolve) => setTimeout(resolve, LEAVING_MS))]);
  leaving = queue.kept;
}

for (const way of document.querySelectorAll("a[data-leave]")) {
  way.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    await beforeLeaving();
    location.href = way.href;
  });
}

for (const way of document.querySelectorAll("form[data-leave]")) {
  way.addEventListener("submit", async (event) => {
    if (leaving) return;
    event.preventDefault();
    await beforeLeaving();
    leaving = true;
    way.requestSubmit(event.submitter);
  });
}

addEventListener("beforeunload", (event) => {
  flush();
  if (leaving) return;
  const waiting = queue.pending();
  if (waiting.some((one) => !queue.kept || Date.now() - one.at > UNSENT_MS)) event.preventDefault();
});

addEventListener("pagehide", flush);

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") flush();
  else refresh();
});

addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  goingOn = leaving = false;
  refresh();
});

// Another tab, or another device, may have changed answers in the meantime.
async function refresh() {
  touched.clear();
  let state;
  try {
    const reply = await fetch(`${url}state/`, { headers: { Accept: "application/json" } });
    if (reply.status === 404 || reply.status === 410) location.reload();
    if (!reply.ok) return;
    state = await reply.json();
    known = Math.max(known, state.version);
  } catch {
    return; // offline: what is here stays
  }
  const unsent = new Set(queue.pending().map((one) => `${one.url} ${one.place} ${one.dimension}`));
  let changed = false;
  for (const fieldset of fieldsets()) {
    const dimension = fieldset.dataset.dimension;
    const place = Number(fieldset.closest(".unit").dataset.place);
    const given = state.units[place];
    if (!given || touched.has(fieldset) || typing.has(fieldset) || faultIn(fieldset) || unsent.has(`${url}save/ ${place} ${dimension}`)) continue;
    const before = stands(fieldset);
    const own = Object.entries(given).filter(([name]) => name === dimension || name.startsWith(`${dimension}.`));
    put(fieldset, Object.fromEntries(own));
    look(fieldset);
    changed ||= stands(fieldset) !== before;
  }
  if (!changed) return;
  say(words.newer);
  tell(words.newer, "fine");
}

function stands(fieldset) {
  return JSON.stringify([valuesOf(fieldset), markerOf(fieldset)?.rows(fieldset.dataset.dimension)]);
}

// A question that lacks an answer gets the focus, so that nobody has to look for it.
const lacking = work.querySelector("fieldset.lacking");
if (lacking) goTo(lacking);
