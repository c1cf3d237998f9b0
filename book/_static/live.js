/* What a reader types into where a stored model runs on the page: the places are made by `autograder/building/live_models.py`, and
`network.js` computes.

Whatever a reader types becomes text, never markup. A model is loaded once, when its controls get the focus. */
(() => {
  "use strict";

  const PAUSE = 450;  // milliseconds between two words, for a reader who lets things move
  const FAINT = 0.05;  // a line with less weight is not drawn
  const SVG = "http://www.w3.org/2000/svg";

  function make(tag, attributes = {}, ...children) {
    const element = tag === "svg" || tag === "path" ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) {
        element.addEventListener(name.slice(2), value);
      } else if (name.startsWith("--")) {
        element.style.setProperty(name, value);
      } else if (value !== false) {
        element.setAttribute(name, value === true ? "" : value);
      }
    }
    element.append(...children);
    return element;
  }

  const pause = () => new Promise((go) => setTimeout(go, matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : PAUSE));
  const quoted = (word) => `“${word}”`;

  /* The text of a file, with each share of it that has come. */
  async function download(address, size, arrived) {
    const answer = await fetch(address);
    if (!answer.ok) {
      throw new Error(`${address}: ${answer.status}`);
    }
    const reader = answer.body.getReader(), parts = [];
    for (let come = 0, next = await reader.read(); !next.done; next = await reader.read()) {
      parts.push(next.value);
      come += next.value.length;
      arrived(come / size);
    }
    return new Blob(parts).text();
  }

  /* A function that loads a model when it is first called, and shows how far it has come. */
  function loader(name, { file, bytes }, bar) {
    let loading = null;
    const load = async () => {
      bar.hidden = false;
      try {
        const script = make("script");
        if (location.protocol.startsWith("http")) {
          script.textContent = await download(file, bytes, (share) => (bar.firstElementChild.value = share));
          document.head.append(script);
        } else {
          // A page that was opened from the disk may load a script, and nothing else.
          await new Promise((go, fail) => {
            Object.assign(script, { onload: go, onerror: () => fail(new Error(file)), src: file });
            document.head.append(script);
          });
        }
        return network.read(Uint8Array.from(atob(network.files[name]), (letter) => letter.charCodeAt(0)));
      } finally {
        bar.hidden = true;
      }
    };
    return () => {
      loading ??= load().catch((error) => {
        loading = null;
        throw error;
      });
      return loading;
    };
  }

  /* How many letters have to be changed, put in or taken out to make one word of another. */
  function distance(one, other) {
    let before = [...other, ""].map((_, at) => at);
    for (const [at, letter] of [...one].entries()) {
      const now = [at + 1];
      for (const [place, same] of [...other].entries()) {
        now.push(Math.min(before[place] + (letter !== same), before[place + 1] + 1, now[place] + 1));
      }
      before = now;
    }
    return before.at(-1);
  }

  const spelledLike = (word, known) =>
    known.map((each) => [distance(word, each), each]).filter(([far]) => far <= Math.max(1, word.length / 2.5)).sort(([one], [other]) => one - other)
      .slice(0, 3).map(([, each]) => each);

  const SHORT = [[/\bcan't\b/g, "cannot"], [/\bwon't\b/g, "will not"], [/n't\b/g, " not"], [/'m\b/g, " am"], [/'re\b/g, " are"], [/'ll\b/g, " will"],
    [/'ve\b/g, " have"], [/'d\b/g, " would"], [/\b(he|she|it|that|there|who)'s\b/g, "$1 is"]];

  /* A sentence as the corpus writes it: in lower case, without short forms, with a mark at its end. */
  function wordsOf(sentence) {
    const plain = SHORT.reduce((text, [short, long]) => text.replace(short, long), sentence.toLowerCase().replace(/[’‘]/g, "'"));
    const words = plain.match(/'s\b|[\p{L}\d]+|[^\s\p{L}\d]/gu) ?? [];
    return /[.?"]/.test(words.at(-1) ?? ".") ? words : [...words, "."];
  }

  const sentenceOf = (words) => words.join(" ").replace(/' /g, "'").replace(/ ([.,])/g, "$1");

  /* English words, the French ones below or beside them, and lines from each French word to where it looked. */
  function pairOf(source, chosen) {
    const words = source.map((word) => make("li", {}, word));
    const list = make("ul", { class: "live-words", lang: "en", "aria-label": "English words" }, ...words);
    const lines = make("svg", { "aria-hidden": "true" });
    const target = make("fieldset", { class: "live-words", lang: "fr" }, make("legend", { lang: "en" }, "Choose a French word to see where it looked"));
    const box = make("div", { class: "live-pair" }, list, lines, target);
    const steps = [];
    let pointed = null;

    const current = () => pointed ?? steps.find((step) => step.input.checked) ?? null;

    function draw() {
      box.classList.remove("live-beside");
      const beside = [list, target].some((row) => row.scrollWidth > row.clientWidth);
      box.classList.toggle("live-beside", beside);
      const from = box.getBoundingClientRect(), now = current();
      const paths = [];
      for (const step of steps) {
        for (const [at, weight] of step.weights.entries()) {
          if (weight < FAINT) {
            continue;
          }
          const one = words[at].getBoundingClientRect(), other = step.label.getBoundingClientRect();
          const [x, y] = beside ? [one.right, one.top + one.height / 2] : [one.left + one.width / 2, one.bottom];
          const [u, v] = beside ? [other.left, other.top + other.height / 2] : [other.left + other.width / 2, other.top];
          const [dx, dy] = beside ? [(u - x) / 2, 0] : [0, (v - y) / 2];
          const bend = [x, y, x + dx, y + dy, u - dx, v - dy, u, v].map((each, place) => (each - (place % 2 ? from.top : from.left)).toFixed(1));
          const path = make("path", { d: `M${bend.slice(0, 2)}C${bend.slice(2)}`, "--weight": weight.toFixed(3) });
          path.classList.toggle("live-faded", now !== null && now !== step);
          paths.push(path);
        }
      }
      lines.replaceChildren(...paths);
      words.forEach((word, at) => word.style.setProperty("--weight", now ? now.weights[at].toFixed(3) : 0));
    }

    function add({ word, probability, weights }) {
      const input = make("input", { type: "radio", name: "live-target" });
      const label = make("label", {}, input, word);
      const step = { input, label, word, probability, weights };
      const point = (to) => () => {
        pointed = to;
        draw();
      };
      label.addEventListener("pointerenter", point(step));
      label.addEventListener("pointerleave", point(null));
      input.addEventListener("change", () => {
        draw();
        chosen(step);
      });
      steps.push(step);
      target.append(label);
      pointed = step;
      draw();
    }

    function rest() {
      pointed = null;
      draw();
    }

    new ResizeObserver(draw).observe(box);
    return { box, add, rest, steps };
  }

  function tableOf(source, steps) {
    const top = make("tr", {}, make("td"), ...source.map((word) => make("th", { scope: "col", lang: "en" }, word)));
    const rows = steps.map(({ word, weights }) =>
      make("tr", {}, make("th", { scope: "row", lang: "fr" }, word),
        ...[...weights].map((weight) => make("td", { "--weight": weight.toFixed(3) }, weight.toFixed(2)))));
    const table = make("table", { "aria-label": "Attention weights" }, make("thead", {}, top), make("tbody", {}, ...rows));
    return make("div", { class: "live-scroll", tabindex: "0", role: "group", "aria-label": "Attention weights" }, table);
  }

  function translator(box, { examples, known, longest, shown, ...model }) {
    const input = make("input", { type: "text", id: "live-sentence", value: examples[0], lang: "en", maxlength: 300, autocomplete: "off",
      autocapitalize: "none", spellcheck: "false" });
    const bar = make("label", { class: "live-bar", hidden: true }, `Loading the model, ${(model.bytes / 1e6).toFixed(1)} MB `,
      make("progress", { value: 0 }));
    const load = loader("translator", model, bar);
    const said = make("output", { class: "live-said", "aria-live": "polite" });
    const place = make("div"), looked = make("output", { class: "live-looked", "aria-live": "polite" });
    const numbers = make("details", { class: "live-table" }, make("summary", {}, "All weights as a table"));
    const listed = make("details", { class: "live-known" }, make("summary", {}, `The ${known} words`));
    let source = [], turn = 0;

    const tell = ({ word, probability, weights }) => {
      const order = [...weights.keys()].sort((one, other) => weights[other] - weights[one]);
      const most = order.slice(0, 3).filter((at, rank) => !rank || weights[at] >= FAINT).map((at) => `${quoted(source[at])} (${weights[at].toFixed(2)})`);
      looked.replaceChildren(make("span", { lang: "fr" }, quoted(word)), ` has probability ${probability.toFixed(2)} and looks at ${most.join(", ")}.`);
    };

    function begin(words) {
      source = words;
      numbers.querySelector(".live-scroll")?.remove();
      looked.replaceChildren();
      const pair = pairOf(source, tell);
      place.replaceChildren(pair.box);
      return pair;
    }

    function end({ steps, rest }) {
      rest();
      said.replaceChildren("French: ", make("strong", { lang: "fr" }, sentenceOf(steps.map(({ word }) => word))));
      looked.replaceChildren("Choose a French word to see where the model looked when it wrote it.");
      numbers.append(tableOf(source, steps));
    }

    const example = (sentence) =>
      make("button", { type: "button", lang: "en", onclick: () => {
        input.value = sentence;
        run();
      } }, sentence);

    function refuse(unknown, words) {
      const offers = unknown.flatMap((word) => spelledLike(word, words).map((near) =>
        make("button", { type: "button", lang: "en", "aria-label": `${near} for ${word}`, onclick: () => {
          input.value = input.value.replace(new RegExp(`(?<![\\p{L}\\d])${word}(?![\\p{L}\\d])`, "giu"), near);
          run();
        } }, near)));
      const names = unknown.map(quoted).join(", ");
      said.replaceChildren(`The model does not know ${names}. `, ...(offers.length ? ["Words spelled like that: ", ...offers] : [`It knows only the ${known} words listed below.`]));
    }

    async function run() {
      const mine = (turn += 1), words = wordsOf(input.value);
      if (words.length < 2) {
        said.replaceChildren("Type an English sentence first.");
        return;
      }
      try {
        const ready = await load();
        if (mine !== turn) {
          return;
        }
        const unknown = [...new Set(words.filter((word) => !ready.source.includes(word)))];
        if (unknown.length) {
          refuse(unknown, ready.source.filter((word) => /^\p{L}/u.test(word)));
          return;
        }
        if (words.length > longest) {
          said.replaceChildren(`That are ${words.length} words and marks. The model learned from sentences of up to ${longest}.`);
          return;
        }
        said.replaceChildren();
        const pair = begin(words);
        for (const step of network.translate(ready, words)) {
          pair.add(step);
          await pause();
          if (mine !== turn) {
            return;
          }
        }
        end(pair);
      } catch (error) {
        console.error(error);
        said.replaceChildren("The model could not be loaded. Try again.");
      }
    }

    const form = make("form", { onsubmit: (event) => {
      event.preventDefault();
      run();
    } }, make("label", { for: input.id }, "An English sentence"), input, make("button", { class: "live-go" }, "Translate"));
    // So that the model has come by the time that a sentence is typed.
    input.addEventListener("focus", () => load().catch(() => {}), { once: true });
    listed.addEventListener("toggle", async () => {
      if (listed.open && !listed.querySelector("p")) {
        const { source: all } = await load();
        listed.append(make("p", { lang: "en" }, all.filter((word) => /^\p{L}/u.test(word)).sort().join(", ")));
      }
    });
    const first = begin(shown.source);
    shown.target.forEach((word, at) => first.add({ word, probability: shown.probabilities[at], weights: shown.weights[at] }));
    end(first);
    box.querySelector("svg.drawing").remove();
    const tries = make("p", { class: "live-tries" }, "Or try: ", ...examples.slice(1).map(example));
    box.prepend(form, tries, bar, said, place, looked, numbers);
    box.append(listed);
  }

  const LIVE = { translator };

  document.addEventListener("DOMContentLoaded", () => {
    for (const box of document.querySelectorAll(".live")) {
      LIVE[box.dataset.live](box, JSON.parse(box.querySelector('script[type="application/json"]').textContent));
    }
  });
})();
