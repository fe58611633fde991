// Texts whose contrast with what stands behind them is below 4.5, or 3 where they are large (WCAG 2.2, 1.4.3).
(() => {
  const parse = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
    return { channels: [red, green, blue], alpha };
  };
  const light = ({ channels }) => {
    const [red, green, blue] = channels.map((
      value,
    ) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const over = (front, back) => ({
    alpha: 1,
    channels: front.channels.map((value, n) => value * front.alpha + back.channels[n] * (1 - front.alpha)),
  });
  const behind = (node) => {
    const layers = [];
    for (let each = node; each; each = each.parentElement) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour.alpha > 0) layers.push(colour);
      if (colour.alpha === 1) break;
    }
    return layers.reduceRight((back, front) => over(front, back), { channels: [255, 255, 255], alpha: 1 });
  };
  const wrong = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const style = getComputedStyle(node);
    const box = node.getBoundingClientRect();
    const isSeen = walker.currentNode.textContent.trim() && box.width && box.height &&
      style.visibility === "visible";
    if (!isSeen || node.closest(".board, .offscreen, .skip, #live, option, noscript, :disabled")) continue;
    const front = parse(node instanceof SVGElement ? style.fill : style.color);
    const back = behind(node.closest("svg")?.parentElement ?? node);
    const [one, other] = [light(over(front, back)), light(back)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) {
      wrong.add(
        `${ratio.toFixed(2)} ${node.tagName}.${node.className.baseVal ?? node.className}: ${
          walker.currentNode.textContent.trim().slice(0, 30)
        }`,
      );
    }
  }
  return [...wrong];
})();
