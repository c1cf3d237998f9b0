/* What the stored models compute, written out in loops over typed arrays.

A library such as onnxruntime-web would bring 14 MB of WebAssembly to pages whose models have 2 to 4, and would hide the steps that the
chapters teach; these loops need no build and take some hundredths of a second a word. The names of the weights are those of the PyTorch
modules in `seqlab`. Vectors are computed in double precision, so that they equal PyTorch's to within its own rounding. */
const network = (() => {
  "use strict";

  /* A number of half precision: a sign, 5 bits of exponent, 10 of fraction. */
  function fromHalf(bits) {
    const sign = bits >> 15 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = (bits & 1023) / 1024;
    return sign * (exponent ? (1 + fraction) * 2 ** (exponent - 15) : fraction * 2 ** -14);
  }

  /* A safetensors file in base64: the length of its header, the header as JSON, then the numbers. Its metadata are JSON, too. */
  function read(encoded) {
    const letters = atob(encoded), bytes = new Uint8Array(letters.length);
    for (let at = 0; at < bytes.length; at += 1) {
      bytes[at] = letters.charCodeAt(at);
    }
    const numbers = Float32Array.from({ length: 2 ** 16 }, (_, bits) => fromHalf(bits));
    const start = 8 + new DataView(bytes.buffer).getUint32(0, true);
    const { __metadata__: metadata, ...entries } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
    const model = Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, JSON.parse(text)]));
    for (const [name, { shape, data_offsets: [from, to] }] of Object.entries(entries)) {
      const halves = new Uint16Array(bytes.buffer, start + from, (to - from) / 2), values = new Float32Array(halves.length);
      for (let at = 0; at < halves.length; at += 1) {
        values[at] = numbers[halves[at]];
      }
      model[name] = { shape, values };
    }
    return model;
  }

  const row = ({ shape: [, columns], values }, at) => values.subarray(at * columns, (at + 1) * columns);
  const dot = (one, other) => one.reduce((total, value, at) => total + value * other[at], 0);
  const join = (...vectors) => Float64Array.from(vectors.flatMap((vector) => [...vector]));
  const sigmoid = (x) => 1 / (1 + Math.exp(-x));

  /* W x + b. */
  function affine({ shape: [rows, columns], values }, bias, input) {
    const output = bias ? Float64Array.from(bias.values) : new Float64Array(rows);
    for (let to = 0, at = 0; to < rows; to += 1) {
      for (let from = 0; from < columns; from += 1, at += 1) {
        output[to] += values[at] * input[from];
      }
    }
    return output;
  }

  const linear = (model, name, input) => affine(model[`${name}.weight`], model[`${name}.bias`], input);

  function softmax(scores) {
    const largest = scores.reduce((one, other) => Math.max(one, other));
    const powers = Float64Array.from(scores, (score) => Math.exp(score - largest));
    const total = powers.reduce((one, other) => one + other);
    return powers.map((power) => power / total);
  }

  /* The average of the values, weighted by how well their keys match the query; and the weights. */
  function attend(query, keys, values) {
    const weights = softmax(keys.map((key) => dot(key, query) / Math.sqrt(query.length)));
    const context = new Float64Array(values[0].length);
    values.forEach((value, at) => value.forEach((each, place) => (context[place] += weights[at] * each)));
    return { context, weights };
  }

  /* Multi-head attention between projected vectors: the heads are neighbouring columns. */
  function attendWithHeads(heads, query, keys, values) {
    const size = query.length / heads;
    const parts = Array.from({ length: heads }, (_, head) => {
      const part = (vector) => vector.subarray(head * size, (head + 1) * size);
      return attend(part(query), keys.map(part), values.map(part)).context;
    });
    return join(...parts);
  }

  const add = (one, other) => Float64Array.from(one, (value, at) => value + other[at]);

  function layerNorm(model, name, input, epsilon) {
    const mean = input.reduce((one, other) => one + other) / input.length;
    const variance = input.reduce((total, value) => total + (value - mean) ** 2, 0) / input.length;
    const { [`${name}.weight`]: gain, [`${name}.bias`]: bias } = model;
    return input.map((value, at) => ((value - mean) / Math.sqrt(variance + epsilon)) * gain.values[at] + bias.values[at]);
  }

  const relu = (x) => Math.max(0, x);

  /* x Φ(x), with the error function of Abramowitz and Stegun (1964), 7.1.26, which is right to seven digits. */
  function gelu(x) {
    const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
    const series = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592].reduce((total, each) => (total + each) * t, 0);
    return (x / 2) * (1 + Math.sign(x) * (1 - series * Math.exp((-x * x) / 2)));
  }

  const largestAt = (numbers) => numbers.reduce((best, number, at) => (number > numbers[best] ? at : best), 0);

  /* One step of a GRU; PyTorch keeps its gates one below the other: reset, update, candidate. */
  function gru(model, name, suffix, input, state) {
    const part = (kind, vector) => affine(model[`${name}.weight_${kind}_${suffix}`], model[`${name}.bias_${kind}_${suffix}`], vector);
    const x = part("ih", input), h = part("hh", state), size = state.length;
    return state.map((before, at) => {
      const reset = sigmoid(x[at] + h[at]), update = sigmoid(x[size + at] + h[size + at]);
      const candidate = Math.tanh(x[2 * size + at] + reset * h[2 * size + at]);
      return (1 - update) * candidate + update * before;
    });
  }

  /* The translator with attention, greedily: at each step the most likely word, its probability and where it looked. */
  function* translate(model, words) {
    const { source, target, most } = model;
    const embedded = words.map((word) => row(model["encoder.embedding.weight"], source.indexOf(word)));
    const statesOf = (inputs, suffix) => {
      let state = new Float64Array(model[`encoder.rnn.weight_hh_${suffix}`].shape[1]);
      return inputs.map((input) => (state = gru(model, "encoder.rnn", suffix, input, state)));
    };
    const forwards = statesOf(embedded, "l0"), backwards = statesOf(embedded.toReversed(), "l0_reverse").toReversed();
    const memory = forwards.map((state, at) => join(state, backwards[at]));
    const keys = memory.map((each) => linear(model, "to_key", each));
    let state = linear(model, "encoder.bridge", join(forwards.at(-1), backwards[0])).map(Math.tanh);
    let word = target.indexOf("<bos>");
    for (let written = 0; written < most; written += 1) {
      state = gru(model, "rnn", "l0", row(model["embedding.weight"], word), state);
      const { context, weights } = attend(state, keys, memory);
      const chances = softmax(linear(model, "output", linear(model, "combine", join(context, state)).map(Math.tanh)));
      word = largestAt(chances);
      if (target[word] === "<eos>") {
        return;
      }
      yield { word: target[word], probability: chances[word], weights };
    }
  }

  function logSoftmax(scores) {
    const largest = scores.reduce((one, other) => Math.max(one, other));
    const total = Math.log(scores.reduce((sum, score) => sum + Math.exp(score - largest), 0)) + largest;
    return scores.map((score) => score - total);
  }

  /* The GPT: a function that reads the next word's id and returns the log-probabilities of the word after it. The keys and values of
  earlier words are kept. */
  function gpt(model) {
    const epsilon = 1e-5, past = Array.from({ length: model.layers }, () => ({ keys: [], values: [] }));
    return (word) => {
      const position = past[0].keys.length, embedded = Float64Array.from(row(model["embedding.weight"], word)), size = embedded.length;
      let states = embedded.map((value, at) => {
        const angle = position / 10_000 ** ((at - (at % 2)) / size);
        return value * Math.sqrt(size) + (at % 2 ? Math.cos(angle) : Math.sin(angle));
      });
      past.forEach(({ keys, values }, layer) => {
        const part = (name, input) => linear(model, `layers.${layer}.${name}`, input);
        const normed = layerNorm(model, `layers.${layer}.norms.0`, states, epsilon);
        keys.push(part("self_attention.to_key", normed));
        values.push(part("self_attention.to_value", normed));
        const attended = attendWithHeads(model.heads, part("self_attention.to_query", normed), keys, values);
        states = add(states, part("self_attention.output", attended));
        const inner = part("feed_forward.inner", layerNorm(model, `layers.${layer}.norms.1`, states, epsilon)).map(relu);
        states = add(states, part("feed_forward.outer", inner));
      });
      const last = layerNorm(model, "norm", states, epsilon);
      // An adaptive softmax: the last entry of the head stands for all rarer words, which the tail tells apart.
      const head = logSoftmax(linear(model, "output.head", last));
      const tail = logSoftmax(linear(model, "output.tail.0.1", linear(model, "output.tail.0.0", last)));
      return join(head.subarray(0, -1), tail.map((each) => each + head.at(-1)));
    };
  }

  /* What is drawn from: the logits over the temperature, of these the k largest, and of these the fewest whose probabilities add up to p.
  The ids from the most probable one down, and their probabilities. */
  function filtered(logits, { temperature, k, p }) {
    const order = [...logits.keys()].filter((at) => logits[at] > -Infinity).sort((one, other) => logits[other] - logits[one]);
    // Words that tie with the last one stay, too.
    const least = logits[order[Math.min(k, order.length) - 1]];
    const kept = order.filter((at) => logits[at] >= least), chances = softmax(kept.map((at) => logits[at] / temperature));
    let size = 0;
    for (let before = 0; size < chances.length && before < p; size += 1) {
      before += chances[size];
    }
    const left = chances.subarray(0, size), total = left.reduce((one, other) => one + other);
    return { ids: kept.slice(0, left.length), chances: left.map((chance) => chance / total) };
  }

  /* A word as the ids of its pieces, at each place the longest; or [UNK] alone, where a letter is unknown. */
  function piecesOf({ pieces }, word) {
    const ids = [];
    for (let from = 0, to = 0; from < word.length; from = to) {
      to = word.length;
      let id = -1;
      while (to > from && (id = pieces.indexOf((from ? "##" : "") + word.slice(from, to))) < 0) {
        to -= 1;
      }
      if (id < 0) {
        return [pieces.indexOf("[UNK]")];
      }
      ids.push(id);
    }
    return ids;
  }

  /* BERT: the probability of every piece at one place of a sequence of ids. */
  function bert(model, ids, place) {
    const epsilon = 1e-12, { "embeddings.token.weight": token, "embeddings.position.weight": position } = model;
    let states = ids.map((id, at) => {
      const sum = add(add(row(token, id), row(position, at)), row(model["embeddings.segment.weight"], 0));
      return layerNorm(model, "embeddings.norm", sum, epsilon);
    });
    for (let layer = 0; layer < model.layers; layer += 1) {
      const name = `encoder.layers.${layer}`, { [`${name}.self_attn.in_proj_weight`]: matrix, [`${name}.self_attn.in_proj_bias`]: bias } = model;
      const projected = states.map((state) => affine(matrix, bias, state)), size = states[0].length;
      const [queries, keys, values] = [0, 1, 2].map((at) => projected.map((each) => each.subarray(at * size, (at + 1) * size)));
      states = states.map((state, at) => {
        const attended = linear(model, `${name}.self_attn.out_proj`, attendWithHeads(model.heads, queries[at], keys, values));
        const first = layerNorm(model, `${name}.norm1`, add(state, attended), epsilon);
        const inner = linear(model, `${name}.linear1`, first).map(gelu);
        return layerNorm(model, `${name}.norm2`, add(first, linear(model, `${name}.linear2`, inner)), epsilon);
      });
    }
    const transformed = layerNorm(model, "norm", linear(model, "transform", states[place]).map(gelu), epsilon);
    return softmax(affine(token, model.bias, transformed));
  }

  return { files: {}, read, largestAt, translate, gpt, filtered, piecesOf, bert };
})();
