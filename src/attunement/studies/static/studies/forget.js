// Somebody has left the study: nothing of theirs stays on this device.
const own = `attunement:/${location.pathname.split("/").slice(1, 3).join("/")}/:`;
try {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(own)) localStorage.removeItem(key);
  }
} catch { /* nothing was kept either */ }
