// Before anything is drawn: what only works with scripts is shown, and what replaces it is not.
document.documentElement.classList.add("scripted");
