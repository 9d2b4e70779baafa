// Number keys: each choice of a question has one, which is shown.

const DIGITS = "1234567890";

// Give each choice of a question a digit: numbers keep their own, others get the next free one.
export function digitsOf(fieldset) {
  const choices = [...fieldset.querySelectorAll(".choice input")];
  const own = new Map(choices.filter((c) => /^\d$/.test(c.value) && !isBoolean(choices)).map((c) => [c.value, c]));
  const digits = new Map(own);
  const free = [...DIGITS].filter((d) => !own.has(d));
  for (const choice of choices) {
    if (own.get(choice.value) === choice) continue;
    const digit = free.shift();
    if (digit !== undefined) digits.set(digit, choice);
  }
  return digits;
}

// Yes and no are 1 and 0 in the form's values, and the first and the second on the page.
function isBoolean(choices) {
  const values = choices.map((c) => c.value).filter((v) => !v.startsWith("status:"));
  return values.length === 2 && values[0] === "1" && values[1] === "0";
}

export function showDigits(fieldset) {
  for (const [digit, choice] of digitsOf(fieldset)) {
    if (choice.closest(".strip") && choice.value === digit) continue; // the label is the key
    const kbd = document.createElement("kbd");
    kbd.textContent = digit;
    kbd.setAttribute("aria-hidden", "true");
    choice.closest(".choice").append(kbd);
  }
}

export function isTyping(target) {
  return (
    target instanceof Element &&
    target.matches("textarea, select, [contenteditable], input:not([type=radio]):not([type=checkbox])")
  );
}
