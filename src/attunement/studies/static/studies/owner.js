// The owner's pages work without this file: it copies links and texts.
"use strict";
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  const said = button.parentElement.querySelector("[data-copied]");
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    said.textContent = "Copied.";
  } catch {
    // No clipboard without HTTPS on other hosts than this one: the text is selected all the same
    said.textContent = "Selected: press Ctrl+C, or Cmd+C, to copy.";
  }
});
