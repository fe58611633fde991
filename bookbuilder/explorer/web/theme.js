// Sets the theme before the page is painted, so that it does not flash.
(() => {
  let theme = "auto";
  try {
    theme = localStorage.getItem("bookbuilder.theme") ?? "auto";
  } catch {
    // The browser stores nothing: follow the system.
  }
  if (theme !== "auto") document.documentElement.dataset.theme = theme;
})();
