// How long a page has been in sight.

let since = document.visibilityState === "visible" ? performance.now() : null;
let seconds = 0;

// Return how long the page was in sight since this was last asked.
export function takeSeconds() {
  const now = performance.now();
  if (since !== null) seconds += (now - since) / 1000;
  since = document.visibilityState === "visible" ? now : null;
  const taken = seconds;
  seconds = 0;
  return taken;
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") seconds = takeSeconds();
  else since = performance.now();
});
