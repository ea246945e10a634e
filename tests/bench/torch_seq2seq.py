"""The translator of `firth seq2seq train` in PyTorch, to compare the two.

A bidirectional LSTM reads the source, and an LSTM with dot attention and input
feeding writes the target (Luong et al. 2015): the network, the places of
dropout, label smoothing, Adam, and the rate that falls to a tenth are those of
Firth. Trains on pairs (tab-separated), keeps the epoch with the lowest loss on
--dev, writes the greedy translations of --test to --output, and prints as JSON
the tokens of training and of writing with their CPU seconds.
"""

import argparse
import collections
import copy
import json
import random
import time

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

BEGIN, END, UNKNOWN = 0, 1, 2
MARKS = ["<S>", "</S>", "<UNK>"]
BUCKET = 50  # batches that are sorted by length together


def read_pairs(path: str) -> list[tuple[list[str], list[str]]]:
    with open(path, encoding="utf-8") as lines:
        return [tuple(side.split() for side in line.rstrip("\n").split("\t"))
                for line in lines]


class Words:

    def __init__(self, texts, min_count: int):
        counts = collections.Counter(word for text in texts for word in text)
        self.names = MARKS + [word for word, count in counts.most_common()
                              if count >= min_count]
        self.ids = {word: place for place, word in enumerate(self.names)}

    def encode(self, text: list[str]) -> list[int]:
        return [self.ids.get(word, UNKNOWN) for word in text] + [END]


class Translator(nn.Module):

    def __init__(self, source_words: int, target_words: int, units: int,
                 dropout: float):
        super().__init__()
        self.source = nn.Embedding(source_words, units, sparse=True)
        self.target = nn.Embedding(target_words, units, sparse=True)
        self.encoder = nn.LSTM(units, units // 2, batch_first=True,
                               bidirectional=True)
        self.decoder = nn.LSTMCell(2 * units, units)
        self.combine = nn.Linear(2 * units, units)
        self.out = nn.Linear(units, target_words)
        self.dropout = nn.Dropout(dropout)
        nn.init.xavier_uniform_(self.combine.weight)
        for table in (self.source, self.target, self.out):
            nn.init.normal_(table.weight, std=units ** -0.5)
        for name, values in self.named_parameters():
            if "bias_hh" in name:  # the forget gates begin open
                quarter = len(values) // 4
                nn.init.zeros_(values)
                nn.init.ones_(values[quarter:2 * quarter])
            elif "bias" in name:
                nn.init.zeros_(values)

    def encode(self, source, lengths):
        """source: [batch, tokens]; gives what decoding starts from."""
        packed = pack_padded_sequence(
            self.dropout(self.source(source)), lengths, batch_first=True,
            enforce_sorted=False)
        rows, (h, c) = self.encoder(packed)
        rows, _ = pad_packed_sequence(rows, batch_first=True)
        rows = self.dropout(rows)
        hidden = torch.arange(source.shape[1])[None, :] >= lengths[:, None]
        state = tuple(torch.cat([s[0], s[1]], 1) for s in (h, c))
        return rows, hidden, state, torch.zeros_like(state[0])

    def step(self, x, rows, hidden, state, fed):
        """x: [batch, units], the vectors of the words before."""
        state = self.decoder(torch.cat([x, fed], 1), state)
        scores = torch.bmm(rows, state[0].unsqueeze(2)).squeeze(2)
        weights = scores.masked_fill(hidden, -1e9).softmax(1)
        context = torch.bmm(weights.unsqueeze(1), rows).squeeze(1)
        return state, torch.tanh(
            self.combine(torch.cat([state[0], context], 1)))

    def loss(self, source, lengths, target, smoothing: float):
        """The mean over the tokens of the targets, [batch, tokens], padded
        by -1."""
        rows, hidden, state, fed = self.encode(source, lengths)
        before = functional.pad(target[:, :-1].clamp(min=0), (1, 0),
                                value=BEGIN)
        x = self.dropout(self.target(before))
        tops = []
        for t in range(target.shape[1]):
            state, fed = self.step(x[:, t], rows, hidden, state, fed)
            tops.append(fed)
        there = target >= 0
        tops = self.dropout(torch.stack(tops, 1)[there])
        return functional.cross_entropy(self.out(tops), target[there],
                                        label_smoothing=smoothing)

    @torch.no_grad()
    def write(self, source, lengths, most: int) -> list[list[int]]:
        """Greedy translations."""
        rows, hidden, state, fed = self.encode(source, lengths)
        word = torch.full((len(source),), BEGIN)
        written, done = [], torch.zeros(len(source), dtype=torch.bool)
        for _ in range(most):
            state, fed = self.step(self.target(word), rows, hidden, state, fed)
            scores = self.out(fed)
            scores[:, UNKNOWN] = float("-inf")
            word = scores.argmax(1)
            written.append(word.masked_fill(done, END))
            done |= word == END
            if done.all():
                break
        return [row[:row.index(END)] if END in row else row
                for row in torch.stack(written, 1).tolist()]


def pad(texts: list[list[int]], value: int):
    longest = max(map(len, texts))
    return torch.tensor([text + [value] * (longest - len(text))
                         for text in texts])


def batches_of(pairs, size: int, draw: random.Random | None):
    """The pairs in batches of similar lengths."""
    order = list(range(len(pairs)))
    if draw:
        draw.shuffle(order)
    def longer_side(place: int) -> int:
        return max(map(len, pairs[place]))
    batches = []
    for first in range(0, len(order), size * BUCKET):
        bucket = sorted(order[first:first + size * BUCKET], key=longer_side)
        batches += [bucket[i:i + size] for i in range(0, len(bucket), size)]
    if draw:
        draw.shuffle(batches)
    for batch in batches:
        sources = [pairs[place][0] for place in batch]
        yield (pad(sources, 0), torch.tensor([len(s) for s in sources]),
               pad([pairs[place][1] for place in batch], -1))


@torch.no_grad()
def dev_loss(model: Translator, pairs, size: int) -> float:
    model.eval()
    total = tokens = 0.0
    for source, lengths, target in batches_of(pairs, size, None):
        count = int((target >= 0).sum())
        total += float(model.loss(source, lengths, target, 0)) * count
        tokens += count
    model.train()
    return total / tokens


class Optimizer:
    """Adam with clipped gradients and a rate that falls to a tenth. Vectors of
    words that do not occur in a batch stay unchanged."""

    def __init__(self, model: Translator, rate: float, steps: int):
        self.parameters = list(model.parameters())
        tables = [model.source.weight, model.target.weight]
        dense = [p for p in self.parameters
                 if all(p is not table for table in tables)]
        self.parts = [torch.optim.SparseAdam(tables, rate),
                      torch.optim.Adam(dense, rate)]
        self.rates = [torch.optim.lr_scheduler.LambdaLR(
            part, lambda step: 1 - 0.9 * step / steps) for part in self.parts]

    def step(self) -> None:
        values = []
        for parameter in self.parameters:
            if parameter.grad.is_sparse:
                parameter.grad = parameter.grad.coalesce()
                values.append(parameter.grad._values())
            else:
                values.append(parameter.grad)
        norm = torch.linalg.vector_norm(
            torch.stack([torch.linalg.vector_norm(v) for v in values]))
        if norm > 1:
            for value in values:
                value.mul_(1 / norm)
        for part in (*self.parts, *self.rates):
            part.step()
        for part in self.parts:
            part.zero_grad(set_to_none=True)


def train(args: argparse.Namespace, model: Translator, pairs, dev):
    """The tokens of targets and the CPU seconds, without those on `dev`."""
    draw = random.Random(args.seed)
    steps = args.epochs * -(-len(pairs) // args.batch)
    optimizer = Optimizer(model, args.learning_rate, steps)
    best, weights, seconds = float("inf"), None, 0.0
    for _ in range(args.epochs):
        begin = time.process_time()
        for source, lengths, target in batches_of(pairs, args.batch, draw):
            loss = model.loss(source, lengths, target, args.smoothing)
            loss.backward()
            optimizer.step()
        seconds += time.process_time() - begin
        measured = dev_loss(model, dev, args.batch)
        if measured < best:
            best, weights = measured, copy.deepcopy(model.state_dict())
    model.load_state_dict(weights)
    model.eval()
    return args.epochs * sum(len(target) for _, target in pairs), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for option in ("train", "dev", "test", "output"):
        parser.add_argument(f"--{option}", required=True)
    for option, default in (("units", 256), ("dropout", 0.3), ("epochs", 10),
                            ("batch", 64), ("learning_rate", 0.001),
                            ("smoothing", 0.1), ("seed", 1),
                            ("min_count", 2), ("threads", 1)):
        parser.add_argument(f"--{option.replace('_', '-')}",
                            type=type(default), default=default)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    pairs = read_pairs(args.train)
    source_words = Words([source for source, _ in pairs], args.min_count)
    target_words = Words([target for _, target in pairs], args.min_count)
    def encoded(path):
        return [(source_words.encode(source), target_words.encode(target))
                for source, target in read_pairs(path)]
    model = Translator(len(source_words.names), len(target_words.names),
                       args.units, args.dropout)
    tokens, seconds = train(args, model, encoded(args.train),
                            encoded(args.dev))
    test = [source for source, _ in encoded(args.test)]
    order = sorted(range(len(test)), key=lambda place: len(test[place]))
    written: list[list[int]] = [[]] * len(test)
    begin = time.process_time()
    for first in range(0, len(order), args.batch):
        places = order[first:first + args.batch]
        sources = [test[place] for place in places]
        found = model.write(pad(sources, 0),
                            torch.tensor([len(s) for s in sources]),
                            2 * len(sources[-1]) + 10)
        for place, ids in zip(places, found):
            written[place] = ids
    write_seconds = time.process_time() - begin
    with open(args.output, "w", encoding="utf-8") as out:
        for ids in written:
            print(" ".join(target_words.names[i] for i in ids), file=out)
    print(json.dumps({
        "train_tokens": tokens, "train_seconds": seconds,
        "written_tokens": sum(len(ids) + 1 for ids in written),
        "write_seconds": write_seconds}))


if __name__ == "__main__":
    main()
