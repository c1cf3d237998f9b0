/* What a reader types into where a stored model runs on the page: the places are made by `autograder/building/live_models.py`, and
`network.js` computes.

Whatever a reader types becomes text, never markup. A model is loaded once, when its controls get the focus. */
(() => {
  "use strict";

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

  /* Wait between two words, unless the reader wants nothing to move. */
  const pause = (milliseconds) => new Promise((go) => setTimeout(go, matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : milliseconds));
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

  /* The line that shows how much of a model has come, and the function that loads the model when it is first called. */
  function loader(name, { file, bytes }) {
    let loading = null;
    const progress = make("progress", { value: 0 });
    const bar = make("label", { class: "live-bar", hidden: true }, `Loading the model, ${(bytes / 1e6).toFixed(1)} MB `, progress);
    const load = async () => {
      bar.hidden = false;
      try {
        const script = make("script");
        if (location.protocol.startsWith("http")) {
          script.textContent = await download(file, bytes, (share) => (progress.value = share));
          document.head.append(script);
        } else {
          // A page that was opened from the disk may load a script, and nothing else.
          await new Promise((go, fail) => {
            Object.assign(script, { onload: go, onerror: () => fail(new Error(file)), src: file });
            document.head.append(script);
          });
        }
        return network.read(network.files[name]);
      } finally {
        bar.hidden = true;
      }
    };
    const once = () => {
      loading ??= load().catch((error) => {
        loading = null;
        throw error;
      });
      return loading;
    };
    return { bar, load: once };
  }

  const spoken = (name) => make("output", { class: name, "aria-live": "polite" });

  /* What has a model work, as soon as the model has come. What a later run overtakes ends by itself. */
  function runner({ load, said }, work) {
    let turn = 0;
    return async () => {
      const mine = (turn += 1);
      try {
        const model = await load();
        if (mine === turn) {
          await work(model, () => mine !== turn);
        }
      } catch (error) {
        console.error(error);
        said.replaceChildren("The model could not be loaded. Try again.");
      }
    };
  }

  /* A line to type in, and its button if it has one; what is sent off is run. */
  function line(name, asked, button, value, { load, said }, work) {
    const input = make("input", { type: "text", id: `live-${name}`, value, lang: "en", maxlength: 300, autocomplete: "off", autocapitalize: "none",
      spellcheck: "false" });
    const run = runner({ load, said }, (model, overtaken) => work(model, input.value, overtaken));
    // So that the model has come by the time that a sentence is typed.
    input.addEventListener("focus", () => load().catch(() => {}), { once: true });
    const form = make("form", {}, make("label", { for: input.id }, asked), input, ...(button ? [make("button", { class: "live-go" }, button)] : []));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      run();
    });
    const offer = (label, instead, attributes = {}) =>
      make("button", { type: "button", lang: "en", ...attributes, onclick: () => {
        input.value = instead();
        run();
      } }, label);
    const tries = (examples) => make("p", { class: "live-tries" }, "Or try: ", ...examples.map((each) => offer(each, () => each)));
    return { form, input, run, offer, tries };
  }

  /* A word that can be chosen, and what then happens. */
  function choice(group, word, chosen) {
    const input = make("input", { type: "radio", name: group, onchange: chosen });
    return { input, label: make("label", {}, input, word) };
  }

  /* Words as a table of numbers, and a bar for the last of each row. */
  function ranked(name, words, columns) {
    const names = Object.keys(columns), last = columns[names.at(-1)], longest = Math.max(...last);
    const rows = words.map((word, at) => {
      const numbers = names.map((each) => make("td", {}, columns[each][at].toFixed(3)));
      const bar = make("td", { class: "live-wide" }, make("span", { class: "live-share", "--share": last[at] / longest }));
      return make("tr", {}, make("th", { scope: "row", lang: "en" }, word), ...numbers, bar);
    });
    const top = make("tr", {}, make("td"), ...names.map((each) => make("th", { scope: "col" }, each)), make("td"));
    return make("table", { "aria-label": name }, make("thead", {}, top), make("tbody", {}, ...rows));
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

  /* The three known words that are spelled most like a word. */
  function spelledLike(word, known) {
    const near = known.map((each) => [distance(word, each), each]).filter(([far]) => far <= Math.max(1, word.length / 2.5));
    return near.sort(([one], [other]) => one - other).slice(0, 3).map(([, each]) => each);
  }

  const SHORT = [
    [/\bcan't\b/g, "cannot"],
    [/\bwon't\b/g, "will not"],
    [/n't\b/g, " not"],
    [/'m\b/g, " am"],
    [/'re\b/g, " are"],
    [/'ll\b/g, " will"],
    [/'ve\b/g, " have"],
    [/'d\b/g, " would"],
    [/\b(he|she|it|that|there|who)'s\b/g, "$1 is"],
  ];

  const plain = (sentence) => sentence.toLowerCase().replace(/[’‘]/g, "'");

  /* A sentence as the speeches write it: in lower case, numbers as one word. */
  function tokensOf(sentence) {
    const tokens = plain(sentence).match(/\d+(?:[,.]\d+)*|[a-z]+(?:'[a-z]+)*|[.,;:?!$%—]/g) ?? [];
    return tokens.map((token) => (/^\d/.test(token) ? "<number>" : token));
  }

  const MARKS = /'s\b|[\p{L}\d]+|[^\s\p{L}\d]/gu;

  /* A sentence as the corpus writes it: in lower case, without short forms, with a mark at its end. */
  function wordsOf(sentence) {
    const whole = SHORT.reduce((text, [short, long]) => text.replace(short, long), plain(sentence));
    const words = whole.match(MARKS) ?? [];
    return /[.?"]/.test(words.at(-1) ?? ".") ? words : [...words, "."];
  }

  /* The words as running text. */
  const sentenceOf = (words) => words.join(" ").replace(/' /g, "'").replace(/ ([.,;:?!%])/g, "$1");

  /* English words, the French ones below or beside them, and lines from each French word to where it looked. */
  function pairOf(source, chosen) {
    const words = source.map((word) => make("li", {}, word));
    const list = make("ul", { class: "live-words", lang: "en", "aria-label": "English words" }, ...words);
    const lines = make("svg", { "aria-hidden": "true" });
    const legend = make("legend", { lang: "en" }, "Choose a French word to see where the model looked");
    const target = make("fieldset", { class: "live-words", lang: "fr" }, legend);
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
      const step = { word, probability, weights, ...choice("live-target", word, () => {
        draw();
        chosen(step);
      }) };
      const { label } = step;
      const point = (to) => () => {
        pointed = to;
        draw();
      };
      label.addEventListener("pointerenter", point(step));
      label.addEventListener("pointerleave", point(null));
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

  /* A translator by its name, and the name of the function of `network.js` that gives its words one by one: the scripts come in any order. */
  const translator = (name, compute) => (box, { examples, known, longest, shown, ...file }) => {
    const said = spoken("live-said"), looked = spoken("live-looked"), place = make("div");
    const numbers = make("details", { class: "live-table" }, make("summary", {}, "All weights as a table"));
    const listed = make("details", { class: "live-known" }, make("summary", {}, `The ${known} words`));
    const { bar, load } = loader(name, file);
    const { form, input, offer, tries } = line(name, "An English sentence", "Translate", examples[0], { load, said }, translate);
    let source = [];

    const tell = ({ word, probability, weights }) => {
      const order = [...weights.keys()].sort((one, other) => weights[other] - weights[one]);
      const most = order.slice(0, 3).filter((at, rank) => !rank || weights[at] >= FAINT);
      const where = most.map((at) => `${quoted(source[at])} (${weights[at].toFixed(2)})`).join(", ");
      looked.replaceChildren(make("span", { lang: "fr" }, quoted(word)), ` has probability ${probability.toFixed(2)} and looks at ${where}.`);
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

    function refuse(unknown, words) {
      const instead = (word, near) => input.value.replace(new RegExp(`(?<![\\p{L}\\d])${word}(?![\\p{L}\\d])`, "giu"), near);
      const offers = unknown.filter((word) => /^[\p{L}\d]/u.test(word)).flatMap((word) =>
        spelledLike(word, words).map((near) => offer(near, () => instead(word, near), { "aria-label": `${near} for ${word}` })));
      const more = offers.length ? ["Did you mean ", ...offers] : [`It knows only the ${known} words listed below.`];
      said.replaceChildren(`The model does not know ${unknown.map(quoted).join(", ")}. `, ...more);
    }

    async function translate(model, sentence, overtaken) {
      const words = wordsOf(sentence), unknown = [...new Set(words.filter((word) => !model.source.includes(word)))];
      if (words.length < 2) {
        said.replaceChildren("Type an English sentence first.");
      } else if (unknown.length) {
        refuse(unknown, model.source.filter((word) => /^\p{L}/u.test(word)));
      } else if (words.length > longest) {
        said.replaceChildren(`Your sentence has ${words.length} words and marks. The model learned from sentences of up to ${longest}.`);
      } else {
        said.replaceChildren();
        const pair = begin(words);
        for (const step of network[compute](model, words)) {
          pair.add(step);
          await pause(450);
          if (overtaken()) {
            return;
          }
        }
        end(pair);
      }
    }

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
    box.prepend(form, tries(examples.slice(1)), bar, said, place, looked, numbers);
    box.append(listed);
  };

  function slider(name, settings, shown) {
    const input = make("input", { type: "range", id: `live-${name}`, ...settings }), value = make("output", { for: input.id });
    const tell = () => {
      value.textContent = shown(Number(input.value));
      input.setAttribute("aria-valuetext", value.textContent);
    };
    input.addEventListener("input", tell);
    tell();
    return { row: make("div", { class: "live-slider" }, make("label", { for: input.id }, name), input, value), get: () => Number(input.value) };
  }

  function writer(box, { beginning, most, ...file }) {
    const said = spoken("live-said"), why = make("div", { class: "live-why" });
    const words = make("fieldset", { class: "live-words live-text", lang: "en", hidden: true });
    const { bar, load } = loader("gpt", file);
    const { form } = line("gpt", "A beginning", "Write on", beginning, { load, said }, write);
    const off = 200;
    const temperature = slider("temperature", { min: 0.1, max: 2, step: 0.1, value: 1 }, (value) => value.toFixed(1));
    const top = slider("top-k", { min: 1, max: off, step: 1, value: off }, (k) => (k === off ? "off" : String(k)));
    const nucleus = slider("top-p", { min: 0.05, max: 1, step: 0.05, value: 1 }, (p) => (p === 1 ? "off" : p.toFixed(2)));

    function explain(model, word, logits, { ids, chances }) {
      const before = ids.slice(0, 8).map((id) => Math.exp(logits[id]));
      const names = ids.slice(0, 8).map((id) => model.words[id]);
      const from = `${ids.length.toLocaleString("en")} ${ids.length === 1 ? "word" : "words"}`;
      const count = `${quoted(word)} was drawn from ${from}. The most probable of them:`;
      why.replaceChildren(make("p", {}, count), ranked("The most probable words", names, { model: before, now: [...chances.slice(0, 8)] }));
    }

    async function write(model, beginning, overtaken) {
      const given = tokensOf(beginning), read = network.gpt(model);
      const known = given.map((word) => model.words.indexOf(model.words.includes(word) ? word : "<unk>"));
      const unknown = given.filter((word) => !model.words.includes(word));
      const note = unknown.length ? ` The model does not know ${unknown.map(quoted).join(", ")} and reads <unk> instead.` : "";
      words.replaceChildren(make("legend", {}, "Choose a word to see what it was drawn from"), ...given.map((word) => make("span", {}, word)));
      words.hidden = false;
      why.replaceChildren();
      said.replaceChildren();
      const written = [];
      let logits = [model.words.indexOf("<bos>"), ...known].map(read).at(-1);
      while (written.at(-1) !== "<eos>" && given.length + written.length < most) {
        // Nobody can say these.
        ["<pad>", "<bos>", "<unk>"].forEach((mark) => (logits[model.words.indexOf(mark)] = -Infinity));
        const k = top.get() === off ? logits.length : top.get();
        const drawn = network.filtered(logits, { temperature: temperature.get(), k, p: nucleus.get() });
        let at = 0;
        for (let left = Math.random() - drawn.chances[0]; left > 0 && at < drawn.ids.length - 1; left -= drawn.chances[at]) {
          at += 1;
        }
        const word = model.words[drawn.ids[at]], then = logits;
        written.push(word);
        words.append(choice("live-word", word === "<eos>" ? "(end)" : word, () => explain(model, word, then, drawn)).label);
        logits = read(drawn.ids[at]);
        await pause(100);
        if (overtaken()) {
          return;
        }
      }
      const ended = written.at(-1) === "<eos>";
      const text = sentenceOf([...given, ...written.filter((word) => word !== "<eos>")]);
      said.replaceChildren(`${text}${ended ? "" : " …"}${note}`);
      why.replaceChildren(make("p", {}, "Choose a word to see what it was drawn from."));
    }

    box.append(form, temperature.row, top.row, nucleus.row, bar, words, said, why);
  }

  function filler(box, { sentence, longest, ...file }) {
    const said = spoken("live-said"), guesses = make("div"), words = make("fieldset", { class: "live-words live-text", lang: "en" });
    const { bar, load } = loader("bert", file);
    const { form, input, run } = line("bert", "An English sentence", "", sentence, { load, said }, fill);
    let all = [], hidden = null;

    function fill(model) {
      if (hidden === null) {
        return;
      }
      const parts = all.map((word, at) => (at === hidden ? [model.mask] : network.piecesOf(model, word)));
      const ids = [model.cls, ...parts.flat(), model.sep];
      guesses.replaceChildren();
      if (ids.length - 2 > longest) {
        said.replaceChildren(`Your sentence has ${ids.length - 2} pieces, and the model reads up to ${longest}.`);
        return;
      }
      const chances = network.bert(model, ids, ids.indexOf(model.mask));
      const best = [...chances.keys()].sort((one, other) => chances[other] - chances[one]).slice(0, 5);
      const names = best.map((id) => model.pieces[id]), probability = best.map((id) => chances[id]);
      const chance = probability[0].toFixed(2);
      said.replaceChildren(`For ${quoted(all[hidden])} the model's first guess is ${quoted(names[0])}, with probability ${chance}.`);
      guesses.replaceChildren(ranked("The five best guesses", names, { probability }));
    }

    function show() {
      all = tokensOf(input.value);
      hidden = null;
      const labels = all.map((word, at) => choice("live-hidden", word, () => {
        hidden = at;
        run();
      }).label);
      words.replaceChildren(make("legend", {}, "The word to hide"), ...labels);
      guesses.replaceChildren();
      said.replaceChildren("Choose the word to hide.");
    }

    input.addEventListener("input", show);
    show();
    box.append(form, words, bar, said, guesses);
  }

  function asker(box, { examples, most, ...file }) {
    const said = spoken("live-said"), { bar, load } = loader("instructed", file);
    const { form, tries } = line("instructed", "An instruction", "Answer", examples[0], { load, said }, answer);

    async function answer(model, instruction, overtaken) {
      const asked = plain(instruction).match(MARKS) ?? [], read = network.gpt(model), words = [];
      const prompt = [model.bos, ...asked.flatMap((word) => network.piecesOf(model, word)), model.answer];
      let id = network.largestAt(prompt.map(read).at(-1));
      for (let written = 1; id !== model.eos && written < most; written += 1) {
        const piece = model.pieces[id];
        if (id > model.answer) {
          words.push(piece.startsWith("##") && words.length ? words.pop() + piece.slice(2) : piece);
        }
        id = network.largestAt(read(id));
        await pause(0);
        if (overtaken()) {
          return;
        }
      }
      said.replaceChildren("Answer: ", make("strong", {}, sentenceOf(words)), id === model.eos ? "" : " …");
    }

    box.append(form, tries(examples.slice(1)), bar, said);
  }

  const SIDE = 32, CELLS = 8, PIXEL = 8;  // a picture's pixels and cells in each direction, and how large a pixel is shown
  const QUARTERS = ["top left", "top right", "bottom left", "bottom right"];

  /* An image of 8 by 8 numbers as wide as asked for, as PyTorch's bilinear interpolation has it. */
  function scaled(image, width) {
    const from = Array.from({ length: width }, (_, at) => Math.max(0, ((at + 0.5) * 8) / width - 0.5));
    const mixed = (at, get) => {
      const low = Math.floor(at), share = at - low;
      return (1 - share) * get(low) + share * get(Math.min(low + 1, 7));
    };
    return from.flatMap((y) => from.map((x) => mixed(y, (row) => mixed(x, (column) => image[8 * row + column]))));
  }

  /* A scene's red, green and blue, each an array of numbers from 0 to 1. */
  function painted(things, { widths, inks, faint }) {
    const picture = inks[0].map(() => new Float64Array(SIDE ** 2));
    for (const { quarter, colour, size, image, shift } of things) {
      const width = widths[size], ink = scaled(image, width);
      const [top, left] = [Math.floor(quarter / 2), quarter % 2].map((half, at) => (SIDE / 2) * half + Math.floor(shift[at] * (SIDE / 2 - width + 1)));
      ink.forEach((share, at) => {
        const to = (top + Math.floor(at / width)) * SIDE + left + (at % width);
        picture.forEach((part, of) => (part[to] = share < faint ? 0 : Math.round(share * inks[colour][of]) / 255));
      });
    }
    return picture;
  }

  function captioner(box, { handwriting, colours, sizes, scene, paint, ...file }) {
    const said = spoken("live-said"), looked = spoken("live-looked");
    const canvas = make("canvas", { width: SIDE * PIXEL, height: SIDE * PIXEL, role: "img" });
    const words = make("fieldset", { class: "live-words live-text", lang: "en", hidden: true });
    const { bar, load } = loader("captioner", file), run = runner({ load, said }, describe);
    const images = handwriting.map((some) => some.map((image) => Array.from(image, (letter) => parseInt(letter, 17) / 16)));
    const hands = QUARTERS.map(() => ({ image: 0, shift: [0.5, 0.5] }));
    let picture = [];

    const pick = (quarter, name, options, value) =>
      make("select", { "aria-label": `${name}, ${quarter}`, onchange: compose },
        ...options.map(([each, text]) => make("option", { value: each, selected: each === value }, text)));
    const numbered = (names) => names.map((name, at) => [at, name]);
    const chosen = QUARTERS.map((quarter, at) => {
      const [digit, colour, size] = scene[at] ?? ["", at, 1];
      return [
        pick(quarter, "Digit", [["", "no digit"], ...numbered(images.map((_, each) => String(each)))], digit),
        pick(quarter, "Colour", numbered(colours), colour),
        pick(quarter, "Size", numbered(sizes), size),
      ];
    });

    function show(weights) {
      const paper = canvas.getContext("2d"), largest = weights && Math.max(...weights);
      for (let at = 0; at < SIDE ** 2; at += 1) {
        const [red, green, blue] = picture.map((part) => Math.round((weights ? 128 : 255) * part[at]));
        paper.fillStyle = `rgb(${red} ${green} ${blue})`;
        paper.fillRect((at % SIDE) * PIXEL, Math.floor(at / SIDE) * PIXEL, PIXEL, PIXEL);
      }
      weights?.forEach((weight, at) => {
        const cell = canvas.width / CELLS;
        paper.fillStyle = `rgb(255 255 255 / ${(0.8 * weight) / largest})`;
        paper.fillRect((at % CELLS) * cell, Math.floor(at / CELLS) * cell, cell, cell);
      });
    }

    /* Paint what is chosen now; a caption of another picture goes. */
    function compose() {
      const things = chosen.flatMap((selects, quarter) => {
        const [digit, colour, size] = selects.map((select) => select.value);
        const { image, shift } = hands[quarter];
        return digit ? [{ quarter, digit, colour, size, image: images[digit][image], shift }] : [];
      });
      picture = painted(things, paint);
      show();
      const names = things.map(({ quarter, digit, colour, size }) => `a ${sizes[size]} ${colours[colour]} ${digit} at the ${QUARTERS[quarter]}`);
      canvas.setAttribute("aria-label", `A black picture with ${names.join(", ") || "nothing in it"}.`);
      words.hidden = true;
      [said, looked].forEach((each) => each.replaceChildren());
    }

    function tell({ word, probability, weights }) {
      const at = network.largestAt(weights), share = weights[at].toFixed(2);
      const where = `row ${Math.floor(at / CELLS) + 1} and column ${(at % CELLS) + 1} of the ${CELLS} by ${CELLS} cells`;
      show(weights);
      looked.replaceChildren(`${quoted(word)} has probability ${probability.toFixed(2)} and looks most at ${where} (${share}).`);
    }

    async function describe(model, overtaken) {
      const described = picture, steps = [];
      words.replaceChildren(make("legend", {}, "Choose a word to see where the model looked"));
      words.hidden = false;
      looked.replaceChildren();
      for (const step of network.caption(model, described)) {
        steps.push(step.word);
        words.append(choice("live-caption", step.word, () => tell(step)).label);
        show(step.weights);
        await pause(300);
        if (overtaken() || described !== picture) {
          return;
        }
      }
      show();
      said.replaceChildren("Caption: ", make("strong", { lang: "en" }, sentenceOf(steps)));
      looked.replaceChildren("Choose a word to see where the model looked when it wrote it.");
    }

    function anew() {
      for (const hand of hands) {
        Object.assign(hand, { image: Math.floor(Math.random() * images[0].length), shift: [Math.random(), Math.random()] });
      }
      compose();
    }

    const form = make("form", {},
      ...QUARTERS.map((quarter, at) => make("fieldset", {}, make("legend", {}, quarter[0].toUpperCase() + quarter.slice(1)), ...chosen[at])),
      make("p", { class: "live-tries" }, make("button", { class: "live-go" }, "Describe"), make("button", { type: "button", onclick: anew }, "New handwriting")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      run();
    });
    form.addEventListener("focusin", () => load().catch(() => {}), { once: true });
    compose();
    box.append(make("div", { class: "live-scene" }, canvas, form), bar, words, said, looked);
  }

  const LIVE = {
    translator: translator("translator", "translate"),
    transformer: translator("transformer", "transform"),
    gpt: writer,
    bert: filler,
    captioner,
    instructed: asker,
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const box of document.querySelectorAll(".live")) {
      LIVE[box.dataset.live](box, JSON.parse(box.querySelector('script[type="application/json"]').textContent));
    }
  });
})();
