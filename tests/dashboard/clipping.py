"""What a reader cannot reach or read: parts outside their panel, and cells that overprint others."""

from playwright.async_api import Page

# A box that scrolls, an ellipsis and a clamp are no clipping: the whole text is in reach, or in a hint.
CLIPPED = """() => {
  const parts = "table, th, td, button, .button, input, select, summary, .state, .badge, time, svg.spark";
  const found = new Set();
  const words = (one) => one.textContent.trim().replace(/\\s+/g, " ").slice(0, 40);
  const label = (one) => one.dataset.label ?? "";
  const say = (what, one) => found.add(`${what}: ${one.localName} “${label(one)} ${words(one)}”`);
  const isShown = (one) => {
    if (one.closest(".hidden, dialog, [popover]")) return false;
    if (!one.checkVisibility({visibilityProperty: true})) return false;
    const head = one.closest("thead");  // of a table that became a list it is read aloud only
    return !head || getComputedStyle(head).position !== "absolute";
  };
  const hides = (one) => ["auto", "scroll", "hidden"].includes(getComputedStyle(one).overflowX);
  const isInBox = (one, end) => {
    for (let at = one.parentElement; at && at !== end; at = at.parentElement) if (hides(at)) return true;
    return false;
  };
  for (const panel of document.querySelectorAll(".panel")) {
    const edge = panel.getBoundingClientRect();
    for (const one of panel.querySelectorAll(parts)) {
      const box = one.getBoundingClientRect();
      const isOut = box.width > 0 && (box.right > edge.right + 1 || box.left < edge.left - 1);
      if (isOut && isShown(one) && !isInBox(one, panel)) say("outside its panel", one);
    }
    for (const cell of panel.querySelectorAll("tbody :is(th, td):not(.pick)")) {
      const isOver = cell.scrollWidth > cell.clientWidth + 1;
      if (isOver && isShown(cell) && !hides(cell) && !isInBox(cell, panel)) say("wider than its cell", cell);
    }
  }
  return [...found].slice(0, 20);
}"""


async def clipped(tab: Page) -> list[str]:
    found: list[str] = await tab.evaluate(CLIPPED)
    return found
