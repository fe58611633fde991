// Light, dark, or as the system says: set before the page is painted, so that it does not flash.
(() => {
  let theme = "auto";
  try {
    theme = localStorage.getItem("bookbuilder.theme") ?? "auto";
  } catch {
    // Nothing is stored: as the system says.
  }
  if (theme !== "auto") document.documentElement.dataset.theme = theme;
})();
