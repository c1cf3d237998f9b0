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

document.addEventListener("DOMContentLoaded", () => {
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
