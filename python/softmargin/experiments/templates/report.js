"use strict";
// Works from disk and loads nothing. Without it, the page lacks only sorting and the switch between
// light and dark.
(() => {
  const root = document.documentElement;
  const KEY = "softmargin-report-scheme";
  const system = matchMedia("(prefers-color-scheme: dark)");

  function remembered() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage is disabled: use the system's scheme
    }
  }

  function remember(scheme) {
    try {
      localStorage.setItem(KEY, scheme);
    } catch {
      // Storage is disabled: the choice lasts until the page is closed.
    }
  }

  // Before the page is rendered.
  if (["light", "dark"].includes(remembered())) root.dataset.scheme = remembered();

  function addSwitch() {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "scheme";
    const isDark = () => (root.dataset.scheme ?? (system.matches ? "dark" : "light")) === "dark";
    const name = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", isDark() ? "Switch to the light scheme" : "Switch to the dark scheme");
    };
    button.addEventListener("click", () => {
      root.dataset.scheme = isDark() ? "light" : "dark";
      remember(root.dataset.scheme);
      name();
    });
    system.addEventListener("change", name);
    name();
    document.querySelector("header.top").append(button);
  }

  // Null for a missing value or, in a column of numbers, for text.
  function valueOf(row, column, isNumber) {
    const text = row.cells[column].dataset.value;
    if (text === undefined) return null;
    return !isNumber ? text : Number.isNaN(Number(text)) ? null : Number(text);
  }

  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number") return sign * (a < b ? -1 : a > b ? 1 : 0);
    return sign * a.localeCompare(b, "en", { numeric: true });
  }

  // Clicks on a header cycle through ascending, descending and the original order.
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

  function makeSortable(table, tell) {
    const body = table.tBodies[0];
    const before = [...body.rows];
    const heads = table.querySelectorAll("th[data-column]");
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const order = NEXT[head.getAttribute("aria-sort")];
        for (const other of heads) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", order);
        const column = Number(head.dataset.column);
        const isNumber = "number" in head.dataset;
        const sign = order === "descending" ? -1 : 1;
        const rows = before.map((row) => [valueOf(row, column, isNumber), row]);
        if (order !== "none") rows.sort((a, b) => compare(a[0], b[0], sign));
        body.append(...rows.map(([, row]) => row));
        tell(order === "none" ? "original order" : `${button.textContent}, ${order}`);
      });
    }
  }

  // Only elements that scroll can be focused by keyboard; their edge fades if content is hidden.
  function markScrolling(box) {
    const hidden = box.scrollWidth - box.clientWidth;
    box.toggleAttribute("data-more", hidden - box.scrollLeft > 1);
    if (hidden > 0) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }

  document.addEventListener("DOMContentLoaded", () => {
    addSwitch();
    const status = document.createElement("p");
    status.className = "unseen";
    status.setAttribute("role", "status");
    document.body.append(status);
    for (const table of document.querySelectorAll(".table table")) {
      makeSortable(table, (text) => {
        status.textContent = `Sorted: ${text}`;
      });
    }
    const resized = new ResizeObserver((changes) => {
      for (const change of changes) markScrolling(change.target);
    });
    for (const box of document.querySelectorAll(".scroll")) {
      box.addEventListener("scroll", () => markScrolling(box), { passive: true });
      resized.observe(box);
    }
  });
})();
