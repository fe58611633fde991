// Returns the texts of the page that a reader sees or hears: text nodes, labels, titles and placeholders.
() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: parent, textContent: text } = walker.currentNode;
    if (parent.closest("code, pre, dd, script, noscript, .opening, .games")) continue;
    if (text.trim()) texts.push(text.trim());
  }
  for (const name of ["aria-label", "title", "placeholder"]) {
    for (const node of document.querySelectorAll(`[${name}]`)) {
      if (!node.closest(".opening, .games, .verdict")) texts.push(node.getAttribute(name).trim());
    }
  }
  return texts;
}
