// The controls of one question: what they say, and how they are set.

export const NONE = "none:";

export function controls(fieldset) {
  return [...fieldset.querySelectorAll("input[name], textarea[name], select[name]")];
}

function isBox(control) {
  return control.type === "radio" || control.type === "checkbox";
}

// The form's values as [name, value], as the browser would send them.
export function valuesOf(fieldset) {
  return controls(fieldset)
    .filter((c) => (isBox(c) ? c.checked : c.value.trim() !== "") && c.dataset.spans === undefined)
    .map((c) => [c.name, c.value]);
}

export function isAnswered(fieldset) {
  const id = fieldset.dataset.dimension;
  return controls(fieldset).some(
    (c) => (c.name === id || c.name === `${id}.status`) && (isBox(c) ? c.checked : c.value.trim() !== ""),
  );
}

// Whether somebody, or their browser, filled something in before this script was there.
export function isTouched(fieldset) {
  return controls(fieldset).some((c) => {
    if (c.dataset.spans !== undefined) return false;
    if (c.tagName === "SELECT") return [...c.options].some((o) => o.selected !== o.defaultSelected && o.value !== "");
    return isBox(c) ? c.checked !== c.defaultChecked : c.value !== c.defaultValue;
  });
}

export function apply(fieldset, values) {
  for (const control of controls(fieldset)) {
    const given = values[control.name] ?? [];
    if (isBox(control)) control.checked = given.includes(control.value);
    else if (control.dataset.spans === undefined) control.value = given[0] ?? "";
  }
}

export function clear(fieldset) {
  const id = fieldset.dataset.dimension;
  for (const control of controls(fieldset)) {
    if (control.name !== id && control.name !== `${id}.status`) continue;
    if (isBox(control)) control.checked = false;
    else control.value = "";
  }
}

// "None of these" and "I am not sure" stand alone: choosing one takes the others back.
export function settle(fieldset, changed) {
  const id = fieldset.dataset.dimension;
  const alone = (c) => c.name === `${id}.status` || c.value === NONE || c.value.startsWith("status:");
  if (changed.name !== id && changed.name !== `${id}.status`) return;
  const filled = isBox(changed) ? changed.checked : changed.value.trim() !== "";
  if (!filled) {
    for (const other of controls(fieldset)) {
      if (other.name === id && !isBox(other) && other.value === "") other.value = kept.get(other) ?? "";
    }
    return;
  }
  for (const other of controls(fieldset)) {
    if (other === changed || (other.name !== id && other.name !== `${id}.status`)) continue;
    if (!alone(changed) && !alone(other)) continue;
    if (isBox(other)) {
      other.checked = false;
    } else {
      kept.set(other, other.value);
      other.value = "";
    }
  }
}

// What was typed before "I am not sure" took its place, should that be taken back.
const kept = new WeakMap();

// What is wrong with a number that was typed in; nothing where it is fine.
export function faultOf(control, words) {
  if (control.type !== "number" || control.validity.valid) return "";
  const said = control.step === "1" ? words.whole : words.number;
  return said.replace("{min}", control.min).replace("{max}", control.max);
}

// Say something at a question; an empty text takes it back.
export function note(fieldset, text) {
  let box = fieldset.querySelector(".note-here");
  if (!text) return box?.remove();
  if (!box) {
    box = document.createElement("p");
    box.className = "error note-here";
    box.setAttribute("role", "alert");
    fieldset.append(box);
  }
  box.textContent = text;
}
