// The box with the instructions, one key away, and the switch for number keys in it.

const box = document.querySelector("[data-instructions]");
const opener = document.querySelector("[data-open-instructions]");
const keysOff = box.querySelector("[data-keys-off]");

export const instructions = {
  show: () => box.showModal(),
  get open() {
    return box.open;
  },
  get keysOff() {
    return keysOff.checked;
  },
};

opener.hidden = false;
opener.addEventListener("click", () => box.showModal());
box.querySelector("[data-close-instructions]").addEventListener("click", () => box.close());
box.addEventListener("click", (event) => {
  if (event.target === box) box.close(); // outside of what it holds
});
try {
  keysOff.checked = localStorage.getItem("attunement-keys") === "off";
} catch { /* no storage here */ }
document.documentElement.classList.toggle("keys-off", keysOff.checked);
keysOff.addEventListener("change", () => {
  document.documentElement.classList.toggle("keys-off", keysOff.checked);
  try {
    localStorage.setItem("attunement-keys", keysOff.checked ? "off" : "on");
  } catch { /* for this page only, then */ }
});
