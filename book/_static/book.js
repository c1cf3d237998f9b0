/* What the theme leaves out for people who read with a keyboard or a screen reader, or who come from the search page. */

function showWhatScrolls() {
  // On a narrow screen code, figures and formulas scroll sideways: they fade out where there is more to see, and can be reached by keys.
  const fade = (box) => box.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  const sizes = new ResizeObserver((changed) => {
    for (const { target: box } of changed) {
      fade(box);
      if (box.scrollWidth > box.clientWidth) {
        box.tabIndex = 0;
      } else {
        box.removeAttribute("tabindex");
      }
    }
  });
  for (const box of document.querySelectorAll("div.cell_output, .cell_output > .output, .highlight pre, mjx-container[display]")) {
    sizes.observe(box);
    box.addEventListener("scroll", () => fade(box));
  }
}

function showWhatWasSearched() {
  const words = [...document.querySelectorAll("article .highlighted")];
  if (!location.hash) {
    words.find((word) => word.checkVisibility())?.scrollIntoView({ block: "center" });
  }
}

function followReading() {
  // The theme marks an entry when its heading crosses the top of the screen: a jump, or scrolling upwards, leaves a wrong one marked.
  // Its script keeps the list that is replaced here.
  const theirs = document.getElementById("pst-page-toc-nav");
  if (!theirs) {
    return;
  }
  const ours = theirs.cloneNode(true), room = document.querySelector(".bd-sidebar-secondary");
  theirs.replaceWith(ours);
  const links = [...ours.querySelectorAll("a[href^='#']")];
  const sections = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  const mark = () => {
    // What is read stands a quarter down the screen, and at the end of the page as far down as the last heading is.
    const left = document.documentElement.scrollHeight - scrollY - innerHeight;
    const line = Math.max(innerHeight / 4, innerHeight - left);
    const present = links[sections.findLastIndex((section) => section && section.getBoundingClientRect().top <= line)];
    for (const entry of [...links, ...ours.querySelectorAll(".toc-entry")]) {
      entry.classList.toggle("active", entry.contains(present ?? null));
    }
    links.forEach((link) => (link === present ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
    if (present) {
      const shown = present.getBoundingClientRect(), box = room.getBoundingClientRect();
      if (shown.top < box.top + 60 || shown.bottom > Math.min(box.bottom, innerHeight) - 60) {
        room.scrollBy({ top: shown.top - box.top - box.height / 3, behavior: "instant" });
      }
    }
  };
  let asked = false;
  document.addEventListener("scroll", () => {
    asked ||= requestAnimationFrame(() => {
      asked = false;
      mark();
    });
  });
  mark();
}

function showOnHover() {
  // What a link to the glossary or to the list of what a chapter cites leads to, beside the link.
  const tip = document.createElement("div");
  tip.id = "book-tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  (document.querySelector("article") ?? document.body).append(tip);
  let waiting;
  const hide = () => {
    clearTimeout(waiting);
    tip.hidden = true;
  };
  // The pointer can move onto it, as over any text that is to be read.
  const hideSoon = () => (waiting = setTimeout(hide, 200));
  tip.addEventListener("mouseenter", () => clearTimeout(waiting));
  tip.addEventListener("mouseleave", hideSoon);
  for (const link of document.querySelectorAll("article a.term, article a.reference[href^='#']")) {
    const entry = link.matches(".term") ? null : document.getElementById(link.hash.slice(1));
    const said = link.title || (entry?.matches(".citation") ? entry.querySelector("p")?.textContent : "");
    if (!said) {
      continue;
    }
    link.removeAttribute("title");
    link.setAttribute("aria-describedby", tip.id);
    const show = () => {
      clearTimeout(waiting);
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
    link.addEventListener("mouseleave", hideSoon);
    link.addEventListener("blur", hide);
  }
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
}

function proseOf(html, anchor) {
  // Sphinx takes all that stands in the page's main part: its contents, formulas as they are typed, and code.
  const page = new DOMParser().parseFromString(html, "text/html");
  const part = (anchor && page.getElementById(anchor.slice(1))) || page.querySelector("article");
  const left = ".cell, .notebook-links, nav, .citation, figure";
  return [...(part?.querySelectorAll("p") ?? [])].filter((each) => !each.closest(left)).map((each) => {
    for (const formula of each.querySelectorAll(".math, .headerlink")) {
      formula.replaceWith(formula.matches(".math") ? "…" : "");
    }
    const term = each.closest("dd")?.previousElementSibling;
    return `${term ? `${term.textContent}: ` : ""}${each.textContent}`.trim().replace(/\s+/g, " ");
  });
}

function nameSections() {
  // Sphinx gives an entry of the index its page's title alone, lists a section again that it also finds by its heading, and its page too.
  const search = Search._performSearch;
  Search._performSearch = (...query) => {
    const { alltitles, docnames, titles } = Search._index, names = new Map(), listed = new Set();
    for (const [name, places] of Object.entries(alltitles)) {
      places.forEach(([page, section]) => section && names.set(`${docnames[page]}#${section}`, `${titles[page]} > ${name}`));
    }
    const isNew = ([page, , section]) => !listed.has(page + section) && listed.add(page).add(page + section);
    const found = search(...query).reverse().filter(isNew);
    found.forEach((each) => (each[1] = names.get(each[0] + each[2]) ?? each[1]));
    // The best stands last.
    return found.reverse();
  };
}

function excerptProse() {
  // The paragraph that has most of the words, from the beginning of the sentence with the first of them.
  Search.htmlToText = (html, anchor) => proseOf(html, anchor).join(" ");
  Search.makeSearchSummary = (html, words, anchor) => {
    // Sphinx gives stems, and that of "query" is "queri".
    const stems = [...words].map((word) => word.toLowerCase().replace(/i$/, ""));
    const paragraphs = proseOf(html, anchor);
    // Of two that have as many, the one that begins with the words, such as their entry in the glossary.
    const has = (text) => stems.filter((word) => text.toLowerCase().includes(word)).length + text.toLowerCase().startsWith(stems[0]) / 2;
    let at = paragraphs.reduce((found, text, place) => (has(text) > has(paragraphs[found]) ? place : found), 0);
    let best = paragraphs[at] ?? "";
    const places = stems.map((word) => best.toLowerCase().indexOf(word)).filter((place) => place >= 0);
    const first = places.length ? Math.min(...places) : 0;
    const sentence = best.slice(0, first).search(/(?<=[.?!:] )[^.?!:]*$/);
    const start = Math.max(sentence, first > 160 ? best.indexOf(" ", first - 120) + 1 : 0, 0);
    // A formula or the edge of a table's cell ends a paragraph in the middle of a sentence.
    while (!/[.?!:)]$/.test(best) && best.length < start + 160 && at + 1 < paragraphs.length) {
      best += ` … ${paragraphs[++at]}`;
    }
    const end = best.length > start + 260 ? best.lastIndexOf(" ", start + 260) : best.length;
    const summary = document.createElement("p");
    summary.className = "context";
    summary.textContent = (start && start !== sentence ? "… " : "") + best.slice(start, end) + (end < best.length ? " …" : "");
    return summary;
  };
}

function keepGuesses() {
  // A guess is still there when the page is loaded again, if the browser keeps anything.
  for (const form of document.querySelectorAll(".play-ask form")) {
    const input = form.querySelector("input"), name = `guess ${DOCUMENTATION_OPTIONS.pagename} ${form.closest("section").id}`;
    form.addEventListener("submit", () => localStorage.setItem(name, input.value));
    const kept = localStorage.getItem(name);
    if (kept) {
      input.value = kept;
      form.requestSubmit();
    }
  }
}

document.addEventListener("DOMContentLoaded", () => {
  showOnHover();
  if (typeof Search !== "undefined") {
    nameSections();
    excerptProse();
  }
  // A name that is too long for a line beside the page continues on the next one with a word of it.
  for (const name of document.querySelectorAll(".bd-sidebar-secondary code .pre")) {
    name.innerHTML = name.innerHTML.replace(/_|(?<=[a-z])(?=[A-Z])/g, "$&<wbr>");
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
  followReading();
  showWhatScrolls();
  // Sphinx marks no word where its search script is loaded, and the theme loads that on every page.
  if (DOCUMENTATION_OPTIONS.pagename !== "search") {
    SphinxHighlight.highlightSearchWords();
    // It marks them a hundredth of a second later.
    setTimeout(showWhatWasSearched, 50);
  }
  keepGuesses();
});
