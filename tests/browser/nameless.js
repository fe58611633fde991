// Controls and pictures without an accessible name, and labels that name nothing.
(() => {
  const named = (node) =>
    node.getAttribute("aria-label")?.trim() ||
    (node.getAttribute("aria-labelledby") ?? "").split(" ").some((id) =>
      document.getElementById(id)?.textContent.trim()
    ) ||
    [...(node.labels ?? [])].some((label) => label.textContent.trim()) ||
    (!node.matches("input, select") && node.textContent.trim());
  const controls =
    "button, a[href], input, select, textarea, summary, [role=slider], [role=treeitem], table, nav, svg[role=img], [role=group]:not(ul)";
  const wrong = [...document.querySelectorAll(controls)].filter((node) => !named(node)).map((node) =>
    node.outerHTML.slice(0, 120)
  );
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  const twice = ids.filter((id, place) => ids.indexOf(id) !== place);
  const heads = document.querySelectorAll("h1").length === 1
    ? []
    : [`h1: ${document.querySelectorAll("h1").length}`];
  const language = document.documentElement.lang ? [] : ["no language"];
  return [...wrong, ...twice, ...heads, ...language];
})();
