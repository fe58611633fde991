() => {
  // Lists what reaches beyond the page, lies on something else, or is cut without saying what it is.
  const shown = (node) => {
    const box = node.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && node.checkVisibility({ visibilityProperty: true }) &&
      !node.closest(".offscreen, .skip, #live, noscript, .layer-arrows");
  };
  const nameOf = (node) => `${node.tagName} ${node.className.baseVal ?? node.className} ${node.textContent.slice(0, 24)}`;
  const faults = [];
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) faults.push(`page is ${document.documentElement.scrollWidth} wide`);
  const nodes = [...document.querySelectorAll("header *, main *")].filter(shown);
  for (const node of nodes) {
    const isScrolled = node.closest("pre, .numbers, svg");
    if (!isScrolled && node.getBoundingClientRect().right > wide + 1) faults.push(`beyond: ${nameOf(node)}`);
    const look = getComputedStyle(node);
    const isCut = node.scrollWidth > node.clientWidth + 1 && look.overflowX !== "visible" && look.display !== "inline";
    const isMeant = look.textOverflow === "ellipsis" || node.closest("pre, .numbers, input, select, .bar");
    if (isCut && !isMeant) faults.push(`cut: ${nameOf(node)}`);
  }
  const solid = nodes.filter((node) => node.matches("button, a, input, select, summary, label, th, td, h1, h2, .boardBox, .bar"));
  const touches = (one, other) => {
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  };
  const floats = (node) => {
    for (let each = node; each; each = each.parentElement) if (getComputedStyle(each).position === "sticky") return true;
    return false;
  };
  const lying = solid.filter((node) => !floats(node));
  lying.forEach((one, n) => {
    for (const other of lying.slice(n + 1)) {
      if (one.contains(other) || other.contains(one) || !touches(one, other)) continue;
      faults.push(`${nameOf(one)} lies on ${nameOf(other)}`);
    }
  });
  return faults;
}
