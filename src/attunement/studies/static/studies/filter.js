// Many answers on one page: keys to move, keep, eliminate and choose. Saving is rater.js's: it hears
// the change events of the controls, of those that are changed here too.
const list = document.querySelector(".candidates");
const choosing = document.querySelector(".choosing");
const rows = [...list.querySelectorAll(".candidate")];
const field = choosing.querySelector("fieldset");
const boxes = rows.map((row) => field.querySelector(`[data-answer="${row.dataset.place}"] input`));
const most = Number(field.dataset.most);
const tally = document.querySelector(".tally");
const full = choosing.querySelector(".full");
let current = 0;

const kept = (row) => row.querySelector("input[name=keep]:checked")?.value;
const changed = (input) => {
  for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind, { bubbles: true }));
};

function show() {
  const chosen = boxes.filter((box) => box.checked).length;
  rows.forEach((row, n) => {
    const value = kept(row);
    row.classList.toggle("kept", value === "1");
    row.classList.toggle("eliminated", value === "0");
    row.classList.toggle("chosen", boxes[n].checked);
    boxes[n].closest("label").hidden = value !== "1" && !boxes[n].checked;
    boxes[n].disabled = !boxes[n].checked && chosen >= most;
  });
  const values = {
    decided: rows.filter((row) => kept(row) !== undefined).length,
    all: rows.length,
    kept: rows.filter((row) => kept(row) === "1").length,
    chosen,
    most,
  };
  tally.textContent = tally.dataset.tally.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  choosing.querySelector(".nothing").hidden = values.kept > 0;
  const words = chosen >= most ? full.dataset.full : "";
  if (full.textContent !== words) full.textContent = words;
}

// Before rater.js hears of it, so that it saves the choice as it then stands
document.addEventListener("change", (event) => {
  const input = event.target;
  if (boxes.includes(input) && boxes.filter((box) => box.checked).length > most) input.checked = false;
}, true);

document.addEventListener("change", (event) => {
  const row = event.target.name === "keep" && event.target.closest(".candidate");
  const box = row && boxes[rows.indexOf(row)];
  if (box && box.checked && kept(row) !== "1") {
    box.checked = false;
    changed(box);
  }
  show();
});

function go(to, focus = true) {
  current = Math.max(0, Math.min(rows.length - 1, to));
  rows.forEach((row, n) => {
    row.tabIndex = n === current ? 0 : -1;
    row.classList.toggle("current", n === current);
  });
  if (!focus) return;
  rows[current].focus();
  rows[current].scrollIntoView({ block: "nearest" });
}

function keep(row, value) {
  const input = row.querySelector(`input[name=keep][value="${value}"]`);
  if (input.checked) return;
  input.checked = true;
  changed(input);
}

function choose(n) {
  if (kept(rows[n]) !== "1" || boxes[n].disabled) return;
  boxes[n].checked = !boxes[n].checked;
  changed(boxes[n]);
}

list.addEventListener("focusin", (event) => {
  const n = rows.indexOf(event.target.closest(".candidate"));
  if (n >= 0 && n !== current) go(n, false);
});

list.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (document.documentElement.classList.contains("keys-off")) return;
  // Arrows belong to radio buttons where one has the focus, digits to the finer questions
  const native = event.target.matches("input, textarea, select, summary");
  if (event.target.closest(".more")) return;
  const keys = {
    j: () => go(current + 1),
    k: () => go(current - 1),
    1: () => keep(rows[current], 1),
    0: () => keep(rows[current], 0),
    c: () => choose(current),
  };
  if (!native) {
    keys.ArrowDown = keys.j;
    keys.ArrowUp = keys.k;
  }
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
});

go(0, false);
show();
addEventListener("pageshow", show);
// rater.js says so when it has put in what another window saved
new MutationObserver(show).observe(document.querySelector("[data-said]"), { childList: true, characterData: true, subtree: true });
