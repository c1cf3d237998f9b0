/* What a reader plays with: the widgets of `seqlab/widgets.py`, and on the site the answers to "Predict, then run".

A widget is a box of the class `play` with a table that says everything at rest, and the numbers of the chapter's own run as JSON. Here
its table gives way to controls. They are the browser's own, so that keys and screen readers work them, and whatever a reader types
becomes text, never markup. */
(() => {
  "use strict";

  const STYLE = `
.play { --play-ground: #ffffff; --play-ink: #222222; --play-line: #8a8a8a; --play-shade: 86 180 233; --play-bar: #0072b2;
  --play-mark: #b35c00; background: var(--play-ground); color: var(--play-ink); border: 1px solid var(--play-line); border-radius: 6px;
  padding: 0.7rem 0.9rem; margin: 0.5rem 0; max-width: 46rem; font-family: system-ui, sans-serif; line-height: 1.5; }
:is(html[data-theme="dark"], html[theme="dark"], body[data-jp-theme-light="false"], body.vscode-dark) .play { --play-ground: #14181e;
  --play-ink: #f2f2f2; --play-line: #7d8590; --play-shade: 0 114 178; --play-bar: #56b4e9; --play-mark: #e69f00; }
html[data-theme="dark"] .bd-content div.cell div.cell_output .text_html:has(.play) { background: none; color: inherit; padding: 0; }
.play[data-live] > :is(table, .play-rest) { display: none; }
.play p, .play ul, .play fieldset { margin: 0 0 0.5rem; max-width: none; color: inherit; }
.play .play-title { font-weight: 600; }
.play fieldset { border: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.1rem 0.9rem; min-width: 0; }
.play legend { float: left; padding: 0; margin: 0; width: auto; font-size: 1em; line-height: 1.8rem; font-weight: 600; color: inherit; }
.play label { display: inline-flex; align-items: center; gap: 0.35rem; min-height: 1.8rem; margin: 0; color: inherit; }
.play input:is([type="radio"], [type="checkbox"]) { width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--play-bar); }
.play input[type="range"] { flex: 1 1 8rem; min-width: 6rem; max-width: 20rem; height: 1.6rem; accent-color: var(--play-bar); }
.play :is(input[type="text"], select) { font: inherit; min-width: 0; padding: 0.2rem 0.4rem; border: 1px solid var(--play-line);
  border-radius: 4px; background: var(--play-ground); color: var(--play-ink); }
.play input[type="text"] { flex: 1 1 12rem; }
.play .play-row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.2rem 0.7rem; margin: 0 0 0.3rem; }
.play .play-row > :first-child { min-width: 7rem; }
.play button { font: inherit; padding: 0.2rem 0.8rem; min-height: 2rem; border: 1px solid var(--play-line); border-radius: 4px;
  background: var(--play-ground); color: var(--play-ink); cursor: pointer; }
.play button:disabled { opacity: 0.55; cursor: default; }
.play :is(input, button, select, .play-scroll):focus-visible { outline: 3px solid var(--play-mark); outline-offset: 2px; }
.play output { display: block; color: inherit; }
.play .play-row output { display: inline; min-width: 3rem; }
.play .play-scroll { overflow-x: auto; }
.play table.play-table { display: table; width: auto; border-collapse: collapse; margin: 0.3rem 0 0.5rem; font-size: 0.95em; color: inherit;
  background: none; }
.play .play-table :is(th, td) { padding: 0.15rem 0.5rem; border: 0; border-bottom: 1px solid color-mix(in srgb, var(--play-line) 45%, transparent);
  text-align: right; color: inherit; background-color: transparent; font-variant-numeric: tabular-nums; white-space: nowrap; }
.play .play-table thead th { white-space: normal; vertical-align: bottom; }
.play .play-table.play-table tr { background: none; }
.play .play-table :is(th:first-child, .play-left) { text-align: left; }
.play .play-table td.play-shaded { background-color: rgb(var(--play-shade) / var(--weight)); }
.play .play-table .play-now { outline: 2px solid var(--play-mark); outline-offset: -2px; }
.play .play-bar { display: block; height: 0.8rem; width: calc(var(--share) * 1%); background: var(--play-bar); border-radius: 2px; }
.play .play-table td.play-wide { width: 10rem; min-width: 4rem; }
.play ul.play-words { display: flex; flex-wrap: wrap; gap: 0.3rem; list-style: none; padding: 0; }
.play ul.play-words > li { padding: 0.1rem 0.5rem; margin: 0; border: 1px solid var(--play-line); border-radius: 4px; text-align: center;
  background-color: rgb(var(--play-shade) / var(--weight)); color: inherit; }
.play ul.play-words span { display: block; font-size: 0.85em; font-variant-numeric: tabular-nums; }
.play ul.play-found { padding-left: 1.2rem; }
.play-later[hidden] { display: block !important; content-visibility: hidden; }
@media (max-width: 576px) { .play .play-table.play-table { font-size: 0.85em; } .play .play-table :is(th, td) { padding: 0.15rem 0.3rem; }
  .play .play-table tbody th { white-space: normal; } }
@media print { .play.play-ask { display: none; } }
`;

  // A number with its digits after the point, and a minus sign as wide as a plus.
  const say = (number, digits = 2) => number.toFixed(digits).replace(/^-(0\.?0*)$/, "$1").replace("-", "−");
  const percent = (share) => `${share >= 0.9995 ? 100 : (100 * share).toFixed(1)} %`;
  const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
  const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
  const below = (number) => String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

  /* An element; whatever is not an element among its children becomes text. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) {
        element.addEventListener(name.slice(2), value);
      } else if (name.startsWith("--")) {
        element.style.setProperty(name, value);
      } else if (value !== false && value !== undefined) {
        element.setAttribute(name, value === true ? "" : value);
      }
    }
    if (element.matches("input, button, [tabindex]")) {
      // JupyterLab would take the arrow keys, and letters, for its own.
      element.dataset.lmSuppressShortcuts = "";
    }
    element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
    return element;
  }

  const head = (scope, ...children) => make("th", { scope }, ...children);
  const cell = (...children) => make("td", {}, ...children);
  const shaded = (weight, text) => make("td", { class: "play-shaded", "--weight": weight.toFixed(3) }, text);

  /* A table with a heading for each column, in a box that scrolls where it is too wide, and the function that fills it. */
  function table(name, columns) {
    const body = make("tbody");
    const top = make("tr", {}, ...columns.map((column) => (column instanceof Node ? column : head("col", column))));
    const inside = make("table", { class: "play-table", "aria-label": name }, make("thead", {}, top), body);
    const box = make("div", { class: "play-scroll", tabindex: "0", role: "group", "aria-label": name }, inside);
    return { box, fill: (rows) => body.replaceChildren(...rows.map((cells) => make("tr", {}, ...cells))) };
  }

  let named = 0;
  const unique = () => `play-control-${(named += 1)}`;

  function slider(label, settings, shown, changed) {
    const id = unique(), value = make("output", { for: id });
    const input = make("input", { type: "range", id, ...settings });
    const tell = () => {
      value.textContent = shown(Number(input.value));
      input.setAttribute("aria-valuetext", value.textContent);
    };
    input.addEventListener("input", () => {
      tell();
      changed();
    });
    tell();
    return { row: make("div", { class: "play-row" }, make("label", { for: id }, label), input, value), get: () => Number(input.value) };
  }

  function choice(type, label, options, changed, checked) {
    const name = unique();
    const inputs = options.map((_, at) => make("input", { type, name, value: at, checked: checked(at), onchange: changed }));
    const labels = options.map((option, at) => make("label", {}, inputs[at], option));
    const group = make("fieldset", {}, make("legend", {}, label), ...labels);
    return { group, get: () => inputs.map((input) => input.checked), first: () => inputs.findIndex((input) => input.checked) };
  }

  const spoken = () => make("output", { "aria-live": "polite", class: "play-said" });

  /* Temperature, top-k and top-p, in this order, over the logits of all words from the largest down. */
  function sampling(data) {
    const { words, shown } = data;
    const logits = [...data.logits];
    for (const gap of data.gaps.match(/\(\d+\)|\w/g) ?? []) {
      logits.push(logits.at(-1) - (gap.length > 1 ? Number(gap.slice(1, -1)) : parseInt(gap, 36)) / 1000);
    }
    const softmax = (temperature, kept) => {
      const powers = logits.slice(0, kept).map((logit) => Math.exp((logit - logits[0]) / temperature));
      const total = sum(powers);
      return powers.map((power) => power / total);
    };
    const most = words.length - 1, before = softmax(1, logits.length);
    const grid = table("The most probable words", ["word", "model", "now", make("td", { class: "play-wide" })]);
    const said = spoken(), drawn = spoken();
    const temperature = slider("temperature", { min: 0.1, max: 2, step: 0.05, value: 1 }, (value) => say(value), update);
    const top = slider("top-k", { min: 1, max: most + 1, step: 1, value: most + 1 }, (k) => (k > most ? "off" : k), update);
    const nucleus = slider("top-p", { min: 0.05, max: 1, step: 0.05, value: 1 }, (p) => (p >= 1 ? "off" : say(p)), update);
    let chances = before;

    function update() {
      let kept = logits.length;
      if (top.get() <= most) {
        // Words that tie with the last one stay, too.
        const least = logits[Math.min(top.get(), logits.length) - 1];
        kept = logits.findLastIndex((logit) => logit >= least) + 1;
      }
      chances = softmax(temperature.get(), kept);
      if (nucleus.get() < 1) {
        let reached = 0, count = 0;
        while (count < kept && reached < nucleus.get()) {
          reached += chances[count++];
        }
        chances = softmax(temperature.get(), (kept = count));
      }
      const rows = words.slice(0, shown).map((word, at) => [word, before[at], chances[at] ?? 0, at < kept]);
      const longest = Math.max(...rows.map(([, , now]) => now));
      const rest = logits.length - rows.length;
      if (rest > 0) {
        const others = (from) => sum(from.slice(rows.length));
        rows.push([`the other ${plural(rest, "word")}`, others(before), others(chances), kept > rows.length]);
      }
      grid.fill(
        rows.map(([word, first, now, stays], at) => [
          head("row", word),
          cell(percent(first)),
          cell(stays ? percent(now) : "cut"),
          make("td", { class: "play-wide" }, at < shown ? make("span", { class: "play-bar", "--share": ((100 * now) / longest).toFixed(1) }) : ""),
        ]),
      );
      said.textContent = `${plural(kept, "word")} of ${logits.length.toLocaleString("en")} can be drawn. The most probable, “${words[0]}”, has ${percent(chances[0])}.`;
    }

    function draw() {
      const found = Array.from({ length: 10 }, () => {
        let at = 0;
        for (let left = Math.random() - chances[0]; left > 0 && at < chances.length - 1; left -= chances[at]) {
          at += 1;
        }
        return words[at] ?? "(a rarer word)";
      });
      drawn.textContent = `Drawn: ${found.join(", ")}.`;
    }

    update();
    return [temperature.row, top.row, nucleus.row, said, grid.box, make("button", { type: "button", onclick: draw }, "Draw ten words"), drawn];
  }

  /* A map read word by word: the weights of one target word shade the source words. */
  function attention({ source, target, maps, names, chosen, asked }) {
    const list = make("ul", { class: "play-words" }), said = spoken();
    const which = names.length > 1 ? choice("radio", mapLabel(names), names, update, (at) => at === 0) : null;
    const word = choice("radio", asked, target, update, (at) => at === chosen);

    function update() {
      const weights = maps[which ? which.first() : 0][word.first()];
      list.replaceChildren(
        ...source.map((each, at) => make("li", { "--weight": weights[at].toFixed(3) }, each, make("span", {}, say(weights[at])))),
      );
      const order = weights.map((_, at) => at).sort((one, other) => weights[other] - weights[one]);
      const best = order.slice(0, 3).filter((at) => weights[at] >= 0.005).map((at) => `“${source[at]}” ${say(weights[at])}`);
      said.textContent = best.length ? `“${target[word.first()]}” attends most to ${best.join(", ")}.` : `“${target[word.first()]}” attends to nothing.`;
    }

    update();
    return [...(which ? [which.group] : []), word.group, list, said];
  }

  const mapLabel = (names) => (names.every((name) => name.startsWith("head")) ? "Head" : "Map");

  /* The n-grams of a sentence that a reader types, matched and clipped. */
  function bleu({ references, candidate, smoothed }) {
    const id = unique(), said = spoken();
    const input = make("input", { type: "text", id, value: candidate, autocomplete: "off", spellcheck: false, oninput: update });
    const again = make("button", { type: "button" }, "Start again");
    again.addEventListener("click", () => {
      input.value = candidate;
      update();
    });
    const scores = table("Precision by length of n-gram", ["n", "n-grams", "in a reference", "after clipping", "precision"]);
    const which = choice("radio", "Show the n-grams with n =", ["1", "2", "3", "4"], update, (at) => at === 1);
    const grams = table("The n-grams of your sentence", ["n-gram", "in yours", "most in one reference", "counts"]);

    const count = (words, n) => {
      const found = new Map();
      for (let at = 0; at + n <= words.length; at += 1) {
        const gram = words.slice(at, at + n).join(" ");
        found.set(gram, (found.get(gram) ?? 0) + 1);
      }
      return found;
    };

    function update() {
      const words = input.value.split(/\s+/u).filter(Boolean);
      const orders = [1, 2, 3, 4].map((n) => {
        const known = references.map((reference) => count(reference, n));
        return [...count(words, n)].map(([gram, times]) => [gram, times, Math.max(...known.map((each) => each.get(gram) ?? 0))]);
      });
      const totals = orders.map((order) => sum(order.map(([, times]) => times)));
      const hits = orders.map((order) => sum(order.map(([, times, most]) => (most ? times : 0))));
      const matches = orders.map((order) => sum(order.map(([, times, most]) => Math.min(times, most))));
      scores.fill(
        orders.map((_, at) => [
          head("row", at + 1),
          ...[totals[at], hits[at], matches[at], totals[at] ? say(matches[at] / totals[at], 3) : "–"].map((each) => cell(each)),
        ]),
      );
      grams.fill(
        orders[which.first()].map(([gram, times, most]) => [
          head("row", gram),
          cell(times),
          cell(most),
          cell(times > most && most ? `${most}, clipped` : Math.min(times, most)),
        ]),
      );
      const near = references.map((reference) => reference.length);
      near.sort((one, other) => Math.abs(one - words.length) - Math.abs(other - words.length) || one - other);
      const penalty = !words.length ? 0 : words.length >= near[0] ? 1 : Math.exp(1 - near[0] / words.length);
      const score = matches.every(Boolean) ? 100 * penalty * Math.exp(sum(matches.map((each, at) => Math.log(each / totals[at]))) / 4) : 0;
      let text = `${plural(words.length, "word")}, the closest reference has ${near[0]}: brevity penalty ${say(penalty, 3)}. BLEU ${say(score)}`;
      if (smoothed) {
        let share = 1;
        const logs = matches.flatMap((each, at) => {
          if (!totals[at]) {
            return [];
          }
          share = each ? share : share / 2;
          return [Math.log((each || share) / totals[at])];
        });
        const smooth = matches[0] ? 100 * penalty * Math.exp(sum(logs) / logs.length) : 0;
        text += `, smoothed as a single sentence ${say(smooth)}`;
      }
      said.textContent = `${text}.`;
    }

    update();
    return [
      make("p", {}, references.length > 1 ? "References:" : "Reference:"),
      make("ul", { class: "play-found" }, ...references.map((reference) => make("li", {}, reference.join(" ")))),
      make("div", { class: "play-row" }, make("label", { for: id }, "Your translation"), input, again),
      said,
      scores.box,
      which.group,
      grams.box,
    ];
  }

  /* Back-propagation through a recurrence of one dimension, a step at a time. */
  function backward({ inputs, weight, tanh, everyStep }) {
    const T = inputs.length, steps = Array.from({ length: T }, (_, at) => at + 1), last = 2 * T + 1;
    let now = 1;
    const said = spoken();
    const back = make("button", { type: "button", onclick: () => go(now - 1) }, "Step back");
    const next = make("button", { type: "button", onclick: () => go(now + 1) }, "Next step");
    const w = slider("weight w", { min: -2, max: 2, step: 0.05, value: weight }, (value) => say(value), update);
    const options = choice("checkbox", "The network", ["tanh", "a loss at every step"], update, (at) => [tanh, everyStep][at]);
    const grid = table("The states and their gradients", ["", ...steps.map((t) => `t = ${t}`)]);

    function go(to) {
      now = Math.min(last, Math.max(1, to));
      update();
    }

    function update() {
      const [curved, every] = options.get(), h = [0];
      for (const t of steps) {
        const a = inputs[t - 1] + w.get() * h[t - 1];
        h.push(curved ? Math.tanh(a) : a);
      }
      const own = [], later = [], delta = [], slope = [], epsilon = [], share = [];
      for (let t = T; t; t -= 1) {
        own[t] = every || t === T ? 1 : 0;
        later[t] = t === T ? 0 : w.get() * epsilon[t + 1];
        delta[t] = own[t] + later[t];
        slope[t] = curved ? 1 - h[t] ** 2 : 1;
        epsilon[t] = delta[t] * slope[t];
        share[t] = epsilon[t] * h[t - 1];
      }
      const total = sum(steps.map((t) => share[t]));
      const at = now <= T ? now : 2 * T + 1 - now;
      const row = (name, values, from, digits = 2) => [
        head("row", name),
        ...steps.map((t) => {
          const current = now < last && t === at && (from === 0 ? now <= T : now > T);
          const filled = from === 0 ? now >= t : now >= 2 * T + 1 - t;
          return make("td", { class: current ? "play-now" : undefined }, filled ? say(values[t], digits) : "");
        }),
      ];
      grid.fill([
        [head("row", "input xₜ"), ...inputs.map((x) => cell(say(x)))],
        row("state hₜ", h, 0),
        row("from its own loss", own, 1),
        row("from the next step", later, 1),
        row("gradient δₜ", delta, 1),
        row("slope of the tanh", slope, 1),
        row("gradient εₜ = δₜ · slope", epsilon, 1),
        row("share of w: εₜ · hₜ₋₁", share, 1),
      ].filter((_, at) => curved || (at !== 5 && at !== 6)));
      back.disabled = now === 1;
      next.disabled = now === last;
      const step = `Step ${now} of ${last}`;
      if (now <= T) {
        const inside = `${say(inputs[at - 1])} + ${say(w.get())} · ${say(h[at - 1])}`;
        said.textContent = `${step}, forwards: h${below(at)} = ${curved ? `tanh(${inside})` : inside} = ${say(h[at])}.`;
      } else if (now < last) {
        said.textContent = `${step}, backwards: the gradient at h${below(at)} is ${say(own[at])} from its own loss plus ${say(later[at])} from the next step. Its share of the gradient of w is ${say(share[at])}.`;
      } else {
        said.textContent = `${step}: the shares add up to the gradient of w, ${steps.map((t) => say(share[t])).join(" + ")} = ${say(total, 4)}.`;
      }
    }

    update();
    return [w.row, options.group, make("div", { class: "play-row" }, back, next), said, grid.box];
  }

  /* Positions clicked on and off, and the masked softmax of the same scores. */
  function mask({ scores, queries, keys, shown, causal, square }) {
    const said = spoken();
    const open = choice("checkbox", "Positions that may be attended to", keys, update, (at) => shown[at]);
    const future = square ? choice("checkbox", "Causal mask", ["hide later positions"], update, () => causal) : null;
    const order = choice("radio", "The mask is applied", ["before the softmax", "afterwards, to the weights"], update, (at) => at === 0);
    const grid = table("The weights", ["", ...keys, "sum"]);

    function update() {
      const keep = open.get(), hide = future?.get()[0], after = order.first() === 1;
      const sums = [];
      grid.fill(
        scores.map((row, t) => {
          const allowed = row.map((_, i) => keep[i] && !(hide && i > t));
          const powers = row.map((score, i) => (after || allowed[i] ? Math.exp(score - Math.max(...row)) : 0));
          const whole = sum(powers);
          const weights = powers.map((power, i) => (allowed[i] && whole ? power / whole : 0));
          sums.push(sum(weights));
          return [head("row", queries[t]), ...weights.map((weight) => shaded(weight, say(weight))), cell(say(sums[t]))];
        }),
      );
      const empty = queries.filter((_, t) => sums[t] === 0), short = queries.filter((_, t) => sums[t] > 0 && sums[t] < 0.995);
      const quoted = (names) => names.map((name) => `“${name}”`).join(", ");
      said.textContent = [
        short.length ? `The weights of ${quoted(short)} no longer sum to 1, so the context shrinks.` : "",
        empty.length ? `${quoted(empty)} may attend to nothing and gets only zeros.` : "",
        short.length || empty.length ? "" : "The weights of each row sum to 1.",
      ].filter(Boolean).join(" ");
    }

    update();
    return [open.group, ...(future ? [future.group] : []), order.group, said, grid.box];
  }

  const WIDGETS = { sampling, attention, bleu, backward, mask };

  /* On the site: a guess is made on the page, and what the cells showed follows it. */
  function ask(box) {
    const guessed = box.previousElementSibling, later = make("div", { class: "play-later" });
    const parts = [];
    let part = box.nextElementSibling, ended = false;
    // Up to the cell that shows the guess, and the text that tells what to see there.
    while (part && !part.matches("section") && !(ended && part.matches(".cell, .admonition, details"))) {
      ended ||= part.matches(".tag_guessed");
      parts.push(part);
      part = part.nextElementSibling;
    }
    if (!ended || location.search.includes("highlight=")) {
      return;
    }
    const id = unique(), said = spoken(), { measured } = box.dataset;
    const input = make("input", { type: "text", id, autocomplete: "off" });
    const show = (text) => {
      later.replaceWith(...later.childNodes);
      said.textContent = text;
      form.querySelectorAll("button").forEach((button) => button.remove());
      input.readOnly = true;
    };
    const compare = (event) => {
      event.preventDefault();
      const guess = input.value.trim();
      show([guess ? `Your guess: ${guess}.` : "", measured ? `Measured: ${measured}.` : "", "The result follows."].filter(Boolean).join(" "));
    };
    const form = make(
      "form",
      { onsubmit: compare },
      make("div", { class: "play-row" }, make("label", { for: id }, "Your guess"), input, make("button", {}, "Compare"),
        make("button", { type: "button", onclick: () => show("The result follows.") }, "Show without a guess")),
      said,
    );
    box.classList.add("play");
    box.append(form);
    if ("alone" in box.dataset) {
      guessed.hidden = true;
    }
    parts[0].before(later);
    later.append(...parts);
    // A browser opens it by itself where a reader searches the page or follows a link into it.
    later.setAttribute("hidden", "until-found");
    later.addEventListener("beforematch", () => show("The result follows."));
    const reached = () => {
      const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (target && later.contains(target)) {
        show("The result follows.");
        target.scrollIntoView();
      }
    };
    addEventListener("hashchange", reached);
    addEventListener("beforeprint", () => later.isConnected && show("The result follows."));
    reached();
  }

  function start() {
    if (!document.querySelector(".play, .play-ask")) {
      return;
    }
    if (!document.getElementById("play-style")) {
      document.head.append(make("style", { id: "play-style" }, STYLE));
    }
    for (const box of document.querySelectorAll(".play[data-play]:not([data-live])")) {
      try {
        const parts = WIDGETS[box.dataset.play](JSON.parse(box.querySelector('script[type="application/json"]').textContent));
        box.dataset.live = "";
        box.append(...parts);
      } catch (error) {
        // Its table stays, and the others go on.
        console.error(error);
      }
    }
    for (const box of document.querySelectorAll(".play-ask:not(.play)")) {
      ask(box);
    }
  }

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
