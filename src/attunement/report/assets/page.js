"use strict";
(() => {
  const button = document.getElementById("copy");
  const said = document.getElementById("copied");
  const source = button && document.getElementById(button.dataset.copy);
  if (button && source) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        said.textContent = "Copied.";
      } catch {
        // A page opened from a file may not write to the clipboard: select, so that the keys do.
        getSelection().selectAllChildren(source);
        said.textContent = "Selected: copy with Ctrl+C or ⌘C.";
      }
    });
  }
  // Paper cannot be unfolded. Long tables stay folded: their rest is in the CSV files.
  const folded = [];
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details:not([open]):not(.more), .kept:not([open])")) {
      part.open = true;
      folded.push(part);
    }
  });
  addEventListener("afterprint", () => {
    while (folded.length) folded.pop().open = false;
  });
})();
