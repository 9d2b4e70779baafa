// A panel's page: says at once where two items share a place, and what order comes out.

const page = document.querySelector(".delphi");
const selects = [...page.querySelectorAll("select[data-rank]")];
const said = page.querySelector("[data-ranking]");

function look() {
  const counts = new Map();
  for (const select of selects) if (select.value) counts.set(select.value, (counts.get(select.value) ?? 0) + 1);
  const twice = [...counts].filter(([, n]) => n > 1).map(([value]) => value).sort((a, b) => a - b);
  for (const select of selects) {
    if (twice.includes(select.value)) select.setAttribute("aria-invalid", "true");
    else select.removeAttribute("aria-invalid");
  }
  let text = "";
  if (twice.length) text = page.dataset.twice.replace("{places}", twice.join(", "));
  else if (counts.size === selects.length) {
    const order = [...selects].sort((a, b) => a.value - b.value).map((s) => s.dataset.rank);
    text = page.dataset.order.replace("{items}", order.join(" › "));
  }
  said.textContent = text;
  said.classList.toggle("wrong", twice.length > 0);
}

if (selects.length) {
  for (const select of selects) select.addEventListener("change", look);
  addEventListener("pageshow", look);
  look();
}
