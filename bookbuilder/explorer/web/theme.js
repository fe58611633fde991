// Sets the theme before the page is painted, so that it does not flash.
try {
  document.documentElement.dataset.theme = localStorage.getItem("bookbuilder.theme") ?? "auto";
} catch {
  // The browser stores nothing: follow the system.
}
