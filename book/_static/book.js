/* What the theme leaves out for people who read with a keyboard or a screen reader, or who come from the search page. */

function reachWhatScrolls() {
  // On a narrow screen figures and formulas scroll sideways: only what has the focus can be scrolled by keys.
  for (const box of document.querySelectorAll("div.cell_output, mjx-container[display]")) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
    } else {
      box.removeAttribute("tabindex");
    }
  }
}

function showWhatWasSearched() {
  const words = [...document.querySelectorAll("article .highlighted")];
  if (!location.hash) {
    words.find((word) => word.checkVisibility())?.scrollIntoView({ block: "center" });
  }
}

function keepPresentEntryInView() {
  const list = document.querySelector(".bd-sidebar-secondary");
  document.addEventListener("activate.bs.scrollspy", () => {
    const entry = [...list.querySelectorAll(".nav-link.active")].at(-1);
    const room = list.getBoundingClientRect(), shown = entry?.getBoundingClientRect();
    if (shown && (shown.top < room.top + 60 || shown.bottom > Math.min(room.bottom, innerHeight) - 60)) {
      list.scrollBy({ top: shown.top - room.top - room.height / 3 });
    }
  });
}

function showOnHover() {
  // What a link to the glossary or to the list of what a chapter cites leads to, beside the link.
  const tip = document.createElement("div");
  tip.id = "book-tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  (document.querySelector("article") ?? document.body).append(tip);
  const hide = () => (tip.hidden = true);
  for (const link of document.querySelectorAll("article a.term, article a.reference[href^='#']")) {
    const entry = link.matches(".term") ? null : document.getElementById(link.hash.slice(1));
    const said = link.title || (entry?.matches(".citation") ? entry.querySelector("p")?.textContent : "");
    if (!said) {
      continue;
    }
    link.removeAttribute("title");
    link.setAttribute("aria-describedby", tip.id);
    const show = () => {
      tip.textContent = said;
      tip.hidden = false;
      const at = link.getClientRects()[0], within = tip.offsetParent.getBoundingClientRect();
      const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - tip.offsetWidth - 8));
      tip.style.left = `${left - within.left}px`;
      const below = at.bottom + tip.offsetHeight + 8 < innerHeight;
      tip.style.top = `${(below ? at.bottom + 6 : at.top - tip.offsetHeight - 6) - within.top}px`;
    };
    link.addEventListener("mouseenter", show);
    link.addEventListener("focus", show);
    link.addEventListener("mouseleave", hide);
    link.addEventListener("blur", hide);
  }
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
}

function excerptProse() {
  // Sphinx takes all that stands in the page's main part: its contents, formulas as they are typed, and code.
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const part = (anchor && page.querySelector(`article ${anchor}`)) || page.querySelector("article");
    const prose = [...(part?.querySelectorAll("p, dd, dt, li > p") ?? [])].filter(
      (each) => !each.closest(".cell, .notebook-links, nav, .citation, figure"));
    return prose.map((each) => {
      for (const formula of each.querySelectorAll(".math, .headerlink")) {
        formula.replaceWith(formula.matches(".math") ? "…" : "");
      }
      return each.textContent.trim();
    }).join(" ");
  };
}

document.addEventListener("DOMContentLoaded", () => {
  keepPresentEntryInView();
  showOnHover();
  if (typeof Search !== "undefined") {
    excerptProse();
  }
  // The book's name stands outside of any landmark otherwise.
  const sidebar = document.getElementById("pst-primary-sidebar");
  sidebar?.setAttribute("role", "complementary");
  sidebar?.setAttribute("aria-label", "Book");
  // Sphinx makes a list of entries whose role ARIA has withdrawn, so that it reads as a list without items.
  for (const entry of document.querySelectorAll(".citation-list > .citation")) {
    entry.setAttribute("role", "listitem");
  }
});

window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  reachWhatScrolls();
  window.addEventListener("resize", reachWhatScrolls);
  // Sphinx marks no word where its search script is loaded, and the theme loads that on every page.
  if (DOCUMENTATION_OPTIONS.pagename !== "search") {
    SphinxHighlight.highlightSearchWords();
    // It marks them a hundredth of a second later.
    setTimeout(showWhatWasSearched, 50);
  }
});
