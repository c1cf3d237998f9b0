/* What the stored models compute, written out in loops over typed arrays.

A library such as onnxruntime-web would bring more WebAssembly to the page than the models have weights, and would hide the steps that
the chapters teach; these loops need no build and take a few milliseconds a word. The names of the weights are those of the PyTorch
modules in `seqlab`. Vectors are computed in double precision, so that they equal PyTorch's to within its own rounding. */
const network = (() => {
  "use strict";

  /* Numbers of half precision (a sign, 5 bits of exponent, 10 of fraction) as numbers of single precision. */
  function fromHalf(halves) {
    return Float32Array.from(halves, (bits) => {
      const sign = bits >> 15 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = (bits & 1023) / 1024;
      return sign * (exponent ? (1 + fraction) * 2 ** (exponent - 15) : fraction * 2 ** -14);
    });
  }

  /* A safetensors file: the length of its header, the header as JSON, then the numbers. Its metadata are JSON, too. */
  function read(bytes) {
    const start = 8 + new DataView(bytes.buffer).getUint32(0, true);
    const { __metadata__: metadata, ...entries } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
    const model = Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, JSON.parse(text)]));
    for (const [name, { shape, data_offsets: [from, to] }] of Object.entries(entries)) {
      model[name] = { shape, values: fromHalf(new Uint16Array(bytes.buffer, start + from, (to - from) / 2)) };
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
    const read = (inputs, suffix) => {
      let state = new Float64Array(model[`encoder.rnn.weight_hh_${suffix}`].shape[1]);
      return inputs.map((input) => (state = gru(model, "encoder.rnn", suffix, input, state)));
    };
    const forwards = read(embedded, "l0"), backwards = read(embedded.toReversed(), "l0_reverse").toReversed();
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

  return { files: {}, read, translate };
})();
