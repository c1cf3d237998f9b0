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

  /* Multi-head attention between projected vectors: the heads are neighbouring columns. What they found, side by side, and their mean weights. */
  function attendWithHeads(heads, query, keys, values) {
    const size = query.length / heads;
    const found = Array.from({ length: heads }, (_, head) => {
      const part = (vector) => vector.subarray(head * size, (head + 1) * size);
      return attend(part(query), keys.map(part), values.map(part));
    });
    const weights = found.map((head) => head.weights).reduce(add).map((total) => total / heads);
    return { context: join(...found.map((head) => head.context)), weights };
  }

  /* The query, the key and the value of a vector, as PyTorch's multi-head attention keeps their weights: one below the other. */
  function projected(model, name, input) {
    const all = affine(model[`${name}.in_proj_weight`], model[`${name}.in_proj_bias`], input), size = input.length;
    return [0, 1, 2].map((part) => all.subarray(part * size, (part + 1) * size));
  }

  /* What one query finds among projected vectors. */
  function lookUp(model, name, query, others) {
    const { context, weights } = attendWithHeads(model.heads, query, others.map(([, key]) => key), others.map(([, , value]) => value));
    return { found: linear(model, `${name}.out_proj`, context), weights };
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

  /* What is written greedily: at each step the most likely word, its probability and where it looked.
  A step takes a word and its place, and gives the logits of the next word and the weights. */
  function* write({ target, most }, step) {
    let word = target.indexOf("<bos>");
    for (let written = 0; written < most; written += 1) {
      const { logits, weights } = step(word, written), chances = softmax(logits);
      word = largestAt(chances);
      if (target[word] === "<eos>") {
        return;
      }
      yield { word: target[word], probability: chances[word], weights };
    }
  }

  /* A recurrent decoder that attends to a memory, from its first state on. */
  function writeFrom(model, memory, first) {
    const keys = memory.map((each) => linear(model, "to_key", each));
    let state = first;
    return write(model, (word) => {
      state = gru(model, "rnn", "l0", row(model["embedding.weight"], word), state);
      const { context, weights } = attend(state, keys, memory);
      return { logits: linear(model, "output", linear(model, "combine", join(context, state)).map(Math.tanh)), weights };
    });
  }

  /* The translator with attention. */
  function translate(model, words) {
    const embedded = words.map((word) => row(model["encoder.embedding.weight"], model.source.indexOf(word)));
    const statesOf = (inputs, suffix) => {
      let state = new Float64Array(model[`encoder.rnn.weight_hh_${suffix}`].shape[1]);
      return inputs.map((input) => (state = gru(model, "encoder.rnn", suffix, input, state)));
    };
    const forwards = statesOf(embedded, "l0"), backwards = statesOf(embedded.toReversed(), "l0_reverse").toReversed();
    const memory = forwards.map((state, at) => join(state, backwards[at]));
    return writeFrom(model, memory, linear(model, "encoder.bridge", join(forwards.at(-1), backwards[0])).map(Math.tanh));
  }

  /* A convolution of square maps, each an array; then, as after training, a batch normalisation and ReLU. */
  function convolve(model, name, maps, { stride, padding }) {
    const { shape: [, , size], values } = model[`${name}.0.weight`], before = Math.sqrt(maps[0].length);
    const side = (before + 2 * padding - size) / stride + 1, number = (each) => model[`${name}.${each}`].values;
    return Array.from(number("0.bias"), (bias, to) => {
      const scale = number("1.weight")[to] / Math.sqrt(number("1.running_var")[to] + 1e-5);
      return Float64Array.from({ length: side ** 2 }, (_, at) => {
        const top = stride * Math.floor(at / side) - padding, left = stride * (at % side) - padding;
        let total = bias;
        maps.forEach((map, from) => {
          const kernel = (to * maps.length + from) * size ** 2;
          for (let y = Math.max(0, -top); y < Math.min(size, before - top); y += 1) {
            for (let x = Math.max(0, -left); x < Math.min(size, before - left); x += 1) {
              total += values[kernel + y * size + x] * map[(top + y) * before + left + x];
            }
          }
        });
        return relu((total - number("1.running_mean")[to]) * scale + number("1.bias")[to]);
      });
    });
  }

  /* The sine or cosine at one place of a position's encoding. */
  function wave(position, at, size) {
    const angle = position / 10_000 ** ((at - (at % 2)) / size);
    return at % 2 ? Math.cos(angle) : Math.sin(angle);
  }

  /* The captioner, on a picture's red, green and blue, each an array of numbers from 0 to 1. */
  function caption(model, picture) {
    const maps = model.layers.reduce((each, layer, at) => convolve(model, `encoder.convolutions.${at}`, each, layer), picture);
    const half = maps.length / 2, side = Math.sqrt(maps[0].length);
    const memory = Array.from(maps[0], (_, cell) => {
      const place = (at) => wave(at < half ? Math.floor(cell / side) : cell % side, at % half, half);
      return linear(model, "encoder.project", maps.map((map, at) => map[cell] + place(at))).map(Math.tanh);
    });
    const mean = memory.reduce(add).map((total) => total / memory.length);
    return writeFrom(model, memory, linear(model, "encoder.bridge", mean).map(Math.tanh));
  }

  /* The Transformer, with the norms before the sublayers. What earlier words left in the decoder is kept. */
  function transform(model, words) {
    const range = Array.from({ length: model.layers }, (_, layer) => layer);
    const normed = (name, state) => layerNorm(model, name, state, 1e-5);
    const embed = (language, word, position) => {
      const vector = Float64Array.from(row(model[`${language}_embedding.weight`], word));
      return vector.map((value, at) => value * Math.sqrt(vector.length) + wave(position, at, vector.length));
    };
    const feedForward = (name, norm, state) =>
      add(state, linear(model, `${name}.linear2`, linear(model, `${name}.linear1`, normed(`${name}.${norm}`, state)).map(relu)));
    let states = words.map((word, at) => embed("source", model.source.indexOf(word), at));
    for (const name of range.map((layer) => `encoder.layers.${layer}`)) {
      const parts = states.map((state) => projected(model, `${name}.self_attn`, normed(`${name}.norm1`, state)));
      states = states.map((state, at) => feedForward(name, "norm2", add(state, lookUp(model, `${name}.self_attn`, parts[at][0], parts).found)));
    }
    const memory = states.map((state) => normed("encoder.norm", state)), cross = range.map((layer) => `decoder.layers.${layer}.multihead_attn`);
    const read = cross.map((name) => memory.map((state) => projected(model, name, state))), past = range.map(() => []);
    return write(model, (word, position) => {
      let state = embed("target", word, position), looked = null;
      for (const layer of range) {
        const name = `decoder.layers.${layer}`, own = projected(model, `${name}.self_attn`, normed(`${name}.norm1`, state));
        past[layer].push(own);
        state = add(state, lookUp(model, `${name}.self_attn`, own[0], past[layer]).found);
        looked = lookUp(model, cross[layer], projected(model, cross[layer], normed(`${name}.norm2`, state))[0], read[layer]);
        state = feedForward(name, "norm3", add(state, looked.found));
      }
      return { logits: linear(model, "output", normed("decoder.norm", state)), weights: looked.weights };
    });
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
      let states = embedded.map((value, at) => value * Math.sqrt(size) + wave(position, at, size));
      past.forEach(({ keys, values }, layer) => {
        const part = (name, input) => linear(model, `layers.${layer}.${name}`, input);
        const normed = layerNorm(model, `layers.${layer}.norms.0`, states, epsilon);
        keys.push(part("self_attention.to_key", normed));
        values.push(part("self_attention.to_value", normed));
        const attended = attendWithHeads(model.heads, part("self_attention.to_query", normed), keys, values).context;
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
      const name = `encoder.layers.${layer}`, parts = states.map((state) => projected(model, `${name}.self_attn`, state));
      states = states.map((state, at) => {
        const attended = lookUp(model, `${name}.self_attn`, parts[at][0], parts).found;
        const first = layerNorm(model, `${name}.norm1`, add(state, attended), epsilon);
        const inner = linear(model, `${name}.linear1`, first).map(gelu);
        return layerNorm(model, `${name}.norm2`, add(first, linear(model, `${name}.linear2`, inner)), epsilon);
      });
    }
    const transformed = layerNorm(model, "norm", linear(model, "transform", states[place]).map(gelu), epsilon);
    return softmax(affine(token, model.bias, transformed));
  }

  return { files: {}, read, largestAt, translate, transform, caption, gpt, filtered, piecesOf, bert };
})();
