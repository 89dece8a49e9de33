"use strict";
(() => {
  // Theme: the system's, light or dark; kept for the next visit where the
  // browser lets a file keep anything.
  const root = document.documentElement, themes = ["system", "light", "dark"];
  const toggle = document.getElementById("theme");
  let theme = "system";
  const setTheme = (name) => {
    theme = themes.includes(name) ? name : "system";
    if (theme === "system") delete root.dataset.theme; else root.dataset.theme = theme;
    toggle.querySelector("span").textContent = theme;
    try { localStorage.setItem("berth-theme", theme); } catch { /* not here */ }
  };
  try { setTheme(localStorage.getItem("berth-theme")); } catch { setTheme("system"); }
  toggle.hidden = false;
  toggle.addEventListener("click", () => setTheme(themes[(themes.indexOf(theme) + 1) % themes.length]));

  // Tables: a heading sorts by its column, a second press the other way round.
  // What has no number goes last either way.
  const key = (row, column) => {
    const cell = row.cells[column];
    if (!cell.classList.contains("number")) return cell.textContent;
    return cell.dataset.sort === "" ? null : Number(cell.dataset.sort);
  };
  const compare = (a, b, sign) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
  };
  for (const table of document.querySelectorAll("table")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        body.append(...[...body.rows].sort((a, b) => compare(key(a, column), key(b, column), down ? -1 : 1)));
      });
    });
  }

  // Grids: details of what is pointed at, tapped or focused; size.
  for (const grid of document.querySelectorAll(".grid")) {
    const detail = grid.querySelector(".detail"), idle = detail.textContent, scroll = grid.querySelector(".scroll");
    const jobs = [...grid.querySelectorAll("button.block")];
    let held = null, zoom = 1;
    const show = (block) => {
      grid.querySelectorAll(".on").forEach((b) => b.classList.remove("on"));
      detail.textContent = block ? block.dataset.detail : idle;
      if (!block || block.tagName !== "BUTTON") return;
      for (const b of grid.querySelectorAll(".block")) {
        if (b.dataset.detail === block.dataset.detail) b.classList.add("on");
      }
    };
    const first = (block) => jobs.find((j) => j.dataset.detail === block.dataset.detail) || block;
    const hit = (event) => { const b = event.target.closest(".block"); return b && first(b); };
    grid.addEventListener("pointerover", (event) => show(hit(event) || held));
    scroll.addEventListener("pointerleave", () => show(held));
    grid.addEventListener("click", (event) => { if (event.target.closest(".blocks")) show(held = hit(event)); });
    grid.addEventListener("focusin", (event) => { if (hit(event)) show(held = hit(event)); });

    const resize = (to) => {
      const middle = (scroll.scrollLeft + scroll.clientWidth / 2) / scroll.scrollWidth;
      zoom = Math.min(Math.max(to, 1), 16);
      grid.style.setProperty("--zoom", zoom);
      grid.style.setProperty("--tall", Math.min(Math.sqrt(zoom), 2.5));
      const ticks = grid.querySelectorAll(".ticks span");
      grid.classList.toggle("large", ticks.length > 1 && ticks[0].parentElement.clientWidth / (ticks.length - 1) > 40);
      scroll.scrollLeft = middle * scroll.scrollWidth - scroll.clientWidth / 2;
      if (held) held.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    const sizes = { in: () => resize(zoom * 2), out: () => resize(zoom / 2), fit: () => resize(1) };
    grid.querySelector(".zoom").hidden = false;
    grid.querySelectorAll("[data-zoom]").forEach((b) => b.addEventListener("click", sizes[b.dataset.zoom]));

    if (jobs.length) jobs[0].tabIndex = 0; // one stop of the Tab key a grid
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    const size = { "+": sizes.in, "=": sizes.in, "-": sizes.out, "0": sizes.fit };
    grid.querySelector(".blocks").addEventListener("keydown", (event) => {
      const at = jobs.indexOf(event.target);
      if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in size) size[event.key]();
      else if (event.key in step) {
        const to = jobs[Math.min(Math.max(at + step[event.key], 0), jobs.length - 1)];
        jobs.forEach((j) => { j.tabIndex = j === to ? 0 : -1; });
        to.focus();
      } else return;
      event.preventDefault();
    });
  }

  // Print: every grid is laid open, and closed again afterwards.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.run:not([open])")];
    opened.forEach((d) => { d.open = true; });
  });
  addEventListener("afterprint", () => { opened.forEach((d) => { d.open = false; }); });
})();
