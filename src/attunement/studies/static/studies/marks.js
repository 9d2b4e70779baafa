// Marking passages of a text: by mouse, by touch, or from the keyboard, word by word.

import { cut, Text } from "./text.js";

const REST_PX = 240; // a text that ends so soon below the words is kept free
const SETTLE_MS = 250; // a selection that has not changed for so long is meant

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function short(text) {
  const line = text.replace(/\s+/g, " ");
  return line.length > 90 ? `${line.slice(0, 60)}…${line.slice(-25)}` : line;
}

// The passages of one text, for all questions that ask for some.
export class Marker {
  // `changed(fieldset, before)` is called after a change, with the passages as they were.
  constructor(section, { words, language, say, changed }) {
    this.element = section.querySelector("[data-text]");
    if (this.element.dataset.exact) this.element.textContent = JSON.parse(this.element.dataset.exact);
    this.text = new Text(this.element.textContent);
    Object.assign(this, { section, words, language, say, changed });
    this.marks = [];
    this.targets = [...section.querySelectorAll("textarea[data-spans]")].map((box, i) => ({
      dimension: box.dataset.spans,
      label: box.dataset.label ?? null,
      title: box.dataset.title,
      fieldset: box.closest("fieldset"),
      hue: `hue-${i % 8}`,
    }));
    for (const fieldset of new Set(this.targets.map((t) => t.fieldset))) this.addList(fieldset);
    this.addText();
    this.draw();
  }

  // --- what is marked

  rows(dimension) {
    return this.marks
      .filter((m) => m.target.dimension === dimension)
      .map((m) => [this.text.toPoint(m.start), this.text.toPoint(m.end), m.target.label]);
  }

  wants(dimension) {
    return this.targets.some((t) => t.dimension === dimension);
  }

  // Set a question's passages, as rows of code points.
  set(dimension, rows) {
    this.marks = this.marks.filter((m) => m.target.dimension !== dimension);
    for (const [start, end, label] of rows) {
      const target = this.targets.find((t) => t.dimension === dimension && t.label === label);
      if (target) this.marks.push({ start: this.text.toUnit(start), end: this.text.toUnit(end), target });
    }
    this.marks.sort((a, b) => a.start - b.start || a.end - b.end);
    this.draw();
  }

  add(target, start, end) {
    const before = this.rows(target.dimension);
    const there = this.marks.some((m) => m.target === target && m.start === start && m.end === end);
    if (!there) {
      this.marks.push({ start, end, target });
      this.marks.sort((a, b) => a.start - b.start || a.end - b.end);
      this.draw();
      this.changed(this, target.fieldset, before);
    }
    this.say(this.words.marked.replace("{text}", short(this.text.string.slice(start, end))));
  }

  remove(mark) {
    const before = this.rows(mark.target.dimension);
    this.marks = this.marks.filter((m) => m !== mark);
    this.draw();
    this.changed(this, mark.target.fieldset, before);
    this.say(this.words.removed.replace("{text}", short(this.text.string.slice(mark.start, mark.end))));
    mark.target.fieldset.querySelector(".mark-here").focus();
  }

  // --- what is seen

  addList(fieldset) {
    const first = fieldset.querySelector("textarea[data-spans]").closest(".box");
    const box = make("div", "marks");
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", this.words.passages);
    box.append(make("p", "marks-title", this.words.passages), make("ul", "chips"));
    const hint = make("p", "hint none-yet", this.words.noPassages);
    const button = make("button", "mark-here", this.words.mark);
    button.type = "button";
    button.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection
    button.addEventListener("click", () => {
      const targets = this.targets.filter((t) => t.fieldset === fieldset);
      const chosen = this.selected ?? this.selection();
      if (chosen) this.offer(chosen, targets, button);
      else this.begin(targets, button);
    });
    box.append(hint, button);
    first.before(box);
  }

  draw() {
    const pieces = this.cursor
      ? [...this.marks, { start: this.cursor[0], end: this.cursor[1], cursor: true }]
      : this.marks;
    this.element.replaceChildren(
      ...cut(this.text.string.length, pieces).map(([start, end, covering]) => {
        const text = this.text.string.slice(start, end);
        if (covering.length === 0) return document.createTextNode(text);
        const marks = covering.filter((m) => !m.cursor);
        const node = make(marks.length ? "mark" : "span", "", text);
        // The shortest lies on top: a longer one shows on both sides of it
        const top = marks.reduce((a, b) => (b.end - b.start < a.end - a.start ? b : a), marks[0]);
        if (top) node.className = `${top.target.hue}${marks.length > 1 ? " over" : ""}`;
        if (marks.length < covering.length) node.classList.add("cursor");
        const ending = marks.filter((m) => m.end === end).map((m) => m.target.title);
        if (ending.length) node.dataset.tag = ending.join(", ");
        return node;
      }),
    );
    for (const fieldset of new Set(this.targets.map((t) => t.fieldset))) this.drawList(fieldset);
  }

  drawList(fieldset) {
    const own = this.marks.filter((m) => m.target.fieldset === fieldset);
    fieldset.querySelector(".none-yet").hidden = own.length > 0;
    fieldset.querySelector(".chips").replaceChildren(
      ...own.map((mark) => {
        const text = short(this.text.string.slice(mark.start, mark.end));
        const chip = make("li", `chip ${mark.target.hue}`);
        if (mark.target.label !== null) chip.append(this.tag(mark, text), " ");
        const remove = make("button", "remove", "×");
        remove.type = "button";
        remove.setAttribute("aria-label", this.words.remove.replace("{text}", text));
        remove.title = remove.getAttribute("aria-label");
        remove.addEventListener("click", () => this.remove(mark));
        chip.append(make("q", "", text), remove);
        return chip;
      }),
    );
  }

  // What a passage is marked as; where there are several labels, a list to change it.
  tag(mark, text) {
    const choices = this.targets.filter((t) => t.fieldset === mark.target.fieldset);
    if (choices.length < 2) return make("span", "tag", mark.target.title);
    const list = make("select", "tag");
    list.setAttribute("aria-label", this.words.label.replace("{text}", text));
    list.append(...choices.map((t) => new Option(t.title, t.label, false, t === mark.target)));
    for (const kind of ["input", "change"]) list.addEventListener(kind, (event) => event.stopPropagation());
    list.addEventListener("change", () => {
      const before = this.rows(mark.target.dimension);
      mark.target = choices[list.selectedIndex];
      const place = this.marks.filter((m) => m.target.fieldset === mark.target.fieldset).indexOf(mark);
      this.draw();
      this.changed(this, mark.target.fieldset, before);
      mark.target.fieldset.querySelectorAll(".chip select")[place]?.focus();
    });
    return list;
  }

  // --- selecting

  addText() {
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", this.words.answerText);
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("blur", () => {
      if (this.cursor && !bar(this.words).contains(document.activeElement)) setTimeout(() => this.blurred(), 0);
    });
    document.addEventListener("selectionchange", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.noticed(), SETTLE_MS);
    });
  }

  blurred() {
    const now = document.activeElement;
    if (this.cursor && now !== this.element && !bar(this.words).contains(now)) this.end(false);
  }

  // The browser's own selection within the text, as [start, end] in units.
  selection() {
    const chosen = document.getSelection();
    if (!chosen || chosen.isCollapsed || chosen.rangeCount === 0) return null;
    const range = chosen.getRangeAt(0);
    if (!range.intersectsNode(this.element)) return null;
    const place = (node, offset, otherwise) => {
      if (!this.element.contains(node)) return otherwise;
      const before = document.createRange();
      before.selectNodeContents(this.element);
      before.setEnd(node, offset);
      return before.toString().length;
    };
    const start = place(range.startContainer, range.startOffset, 0);
    const end = place(range.endContainer, range.endOffset, this.text.string.length);
    return this.text.trimmed(start, end);
  }

  noticed() {
    if (pointerIsDown) return;
    const chosen = this.selection();
    if (chosen) {
      this.selected = chosen;
      this.offer(chosen, this.targets, null);
    } else if (this.selected) {
      this.selected = null;
      if (!this.cursor) this.withdraw();
    }
  }

  // Show what the chosen words can be marked as. `from` is what gets the focus back, if anything.
  offer([start, end], targets, from) {
    const done = () => {
      this.selected = null;
      document.getSelection()?.removeAllRanges();
      this.withdraw();
    };
    if (from && targets.length === 1) {
      done();
      this.end(false);
      this.add(targets[0], start, end);
      from.focus();
      return;
    }
    const box = bar(this.words);
    box.replaceChildren(make("span", "bar-title", this.words.markAs));
    for (const target of targets) {
      const button = make("button", target.hue, target.title);
      button.type = "button";
      button.addEventListener("click", () => {
        done();
        this.end(false);
        this.add(target, start, end);
        (from ?? this.element).focus({ preventScroll: true });
      });
      box.append(button);
    }
    const cancel = make("button", "plain", this.words.cancel);
    cancel.type = "button";
    cancel.addEventListener("click", () => {
      done();
      this.end(false);
      (from ?? this.element).focus({ preventScroll: true });
    });
    box.append(cancel);
    box.hidden = false;
    box.owner = this;
    box.escape = () => cancel.click();
    this.put(box);
    if (from) box.querySelector("button").focus();
  }

  // Below the chosen words where there is room for that; a phone has it at its foot.
  put(box) {
    const range = document.getSelection()?.rangeCount ? document.getSelection().getRangeAt(0) : null;
    const at = [...this.element.querySelectorAll(".cursor")].at(-1) ?? (range && !range.collapsed ? range : this.element);
    const where = at.getBoundingClientRect();
    const widest = this.element.getBoundingClientRect().right - box.offsetWidth;
    box.style.left = `${Math.max(16, Math.min(where.left, widest)) + scrollX}px`;
    const lowest = document.documentElement.clientHeight - box.offsetHeight - 12;
    // The rest of a short text stays in sight: the bar goes below all of it
    const end = this.element.getBoundingClientRect().bottom;
    const under = end - where.bottom < REST_PX && end + 8 <= lowest ? end : where.bottom;
    box.style.top = `${Math.min(under + 8, lowest) + scrollY}px`;
  }

  withdraw() {
    const box = bar(this.words);
    if (box.owner === this) box.hidden = true;
  }

  // --- word by word

  begin(targets, from) {
    this.wanted = targets ?? this.targets;
    this.from = from ?? null;
    this.list = this.text.words(this.language);
    if (this.list.length === 0) return;
    this.anchor = this.head = this.wordAt(this.cursor?.[0] ?? 0);
    this.element.setAttribute("role", "application"); // so that screen readers pass the arrow keys on
    this.element.classList.add("choosing");
    this.moved();
    this.element.focus();
    this.say(`${this.words.choosing} ${this.text.string.slice(...this.cursor)}`);
  }

  wordAt(unit) {
    const found = this.list.findIndex(([, end]) => end > unit);
    return found === -1 ? this.list.length - 1 : found;
  }

  moved() {
    const [low, high] = [Math.min(this.anchor, this.head), Math.max(this.anchor, this.head)];
    this.cursor = [this.list[low][0], this.list[high][1]];
    this.draw();
    this.element.querySelector(".cursor")?.scrollIntoView({ block: "nearest" });
  }

  end(aloud = true) {
    if (!this.cursor) return;
    this.cursor = null;
    this.element.setAttribute("role", "group");
    this.element.classList.remove("choosing");
    this.draw();
    if (aloud) this.say(this.words.left);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.cursor) {
      if (event.key === "Enter") {
        event.preventDefault();
        const chosen = this.selection();
        if (chosen) this.offer(chosen, this.targets, this.element);
        else this.begin();
      }
      return;
    }
    const last = this.list.length - 1;
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.key in steps) this.head = Math.max(0, Math.min(last, this.head + steps[event.key]));
    else if (event.key === "Home") this.head = 0;
    else if (event.key === "End") this.head = last;
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") this.head = this.bySentence(event.key === "ArrowDown", event.shiftKey);
    else if (event.key === "Enter") {
      event.preventDefault();
      this.offer(this.cursor, this.wanted, this.from ?? this.element);
      return;
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.end();
      this.from?.focus();
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.shiftKey) this.anchor = this.head;
    this.moved();
    this.say(this.text.string.slice(...this.cursor));
  }

  // The word where the sentence before or after this one begins; with Shift, where it ends.
  bySentence(forward, extending) {
    const sentences = this.text.sentences(this.language);
    const here = this.list[this.head][0];
    const now = sentences.findIndex(([, end]) => end > here);
    if (extending && forward) {
      const end = sentences[now][1];
      const last = this.list.findLastIndex(([, e]) => e <= end);
      if (last > this.head) return last;
      const next = sentences[Math.min(now + 1, sentences.length - 1)];
      return this.list.findLastIndex(([, e]) => e <= next[1]);
    }
    const next = sentences[Math.max(0, Math.min(now + (forward ? 1 : -1), sentences.length - 1))];
    return this.wordAt(next[0]);
  }
}

let pointerIsDown = false;
addEventListener("pointerdown", (event) => (pointerIsDown = event.pointerType === "mouse"), true);
addEventListener("pointerup", () => (pointerIsDown = false), true);
addEventListener("pointercancel", () => (pointerIsDown = false), true);

let theBar = null;

// The one tool bar of the page, beside the words that are selected.
function bar(words) {
  if (theBar) return theBar;
  theBar = make("div", "mark-bar");
  theBar.setAttribute("role", "toolbar");
  theBar.setAttribute("aria-label", words.markAs);
  theBar.hidden = true;
  theBar.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection
  theBar.addEventListener("keydown", (event) => {
    const buttons = [...theBar.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    if (event.key === "Escape") theBar.escape?.();
    else if (event.key in steps) buttons[(at + steps[event.key] + buttons.length) % buttons.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.querySelector("main").append(theBar);
  return theBar;
}
