// Marks that were made beforehand count only once the rater has changed or confirmed them.

const proposal = document.querySelector("[data-proposal]");
const open = new Map(); // section: its box

function pending(section) {
  return (section.dataset.prefilled ?? "").split(" ").filter(Boolean);
}

for (const section of document.querySelectorAll(".unit")) {
  for (const dimension of pending(section)) {
    const fieldset = section.querySelector(`fieldset[data-dimension="${dimension}"]`);
    const text = fieldset?.querySelector("textarea[data-spans]");
    if (!text) continue;
    const box = proposal.content.firstElementChild.cloneNode(true);
    fieldset.querySelector(".mark-here, .choices").before(box);
    fieldset.classList.remove("answered");
    open.set(section, box);
    box.querySelector("[data-right]").addEventListener("click", () => {
      // rater.js saves the marks of a question of which a control says that it changed
      for (const kind of ["input", "change"]) text.dispatchEvent(new Event(kind, { bubbles: true }));
      fieldset.querySelector(".mark-here")?.focus();
    });
    // It takes a question off this list as soon as it saves it, whatever the reason
    new MutationObserver(() => {
      if (pending(section).includes(dimension)) return;
      box.remove();
      open.delete(section);
    }).observe(section, { attributes: true, attributeFilter: ["data-prefilled"] });
  }
}

// Before rater.js goes on
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-next]") || open.size === 0) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const box = [...open.values()][0];
  box.querySelector("[data-unconfirmed]").hidden = false;
  const button = box.querySelector("[data-right]");
  button.focus();
  button.scrollIntoView({ block: "center" });
}, true);
