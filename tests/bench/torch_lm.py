"""The language model of `firth lm train` in PyTorch, to time the two in turn.

Does one job of tests/bench/contextual with one thread and prints as JSON how
many tokens it went through and how many seconds of CPU time its loop took:
loading and preparing do not count. The work is what a PyTorch user would write
for it: nn.LSTM for each layer and direction, an embedding with sparse gradients,
Adagrad, and a softmax that both directions share; or, with --heads, one stack of
nn.TransformerEncoderLayer, causal or for masked words, and Adam.
"""

import argparse
import collections
import json
import math
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

MARKS = ("<S>", "</S>", "<UNK>")


def read_ids(path: str, vocab: int) -> tuple[list[list[int]], int]:
    """The sentences as ids by falling frequency, with marks around, and the
    number of words that have an id."""
    with open(path, encoding="utf-8") as lines:
        sentences = [line.split() for line in lines]
    counts = collections.Counter(word for words in sentences for word in words)
    kept = list(MARKS) + [word for word, _ in
                          counts.most_common(vocab - len(MARKS))]
    ids = {word: place for place, word in enumerate(kept)}
    unknown = ids["<UNK>"]
    return [[0] + [ids.get(word, unknown) for word in words] + [1]
            for words in sentences], len(kept)


class Direction(nn.Module):
    """Layers of LSTM, with their input added from the second on."""

    def __init__(self, args: argparse.Namespace):
        super().__init__()
        width = args.projection or args.units
        self.layers = nn.ModuleList(
            nn.LSTM(args.dim if layer == 0 else width, args.units,
                    proj_size=args.projection)
            for layer in range(args.layers))

    def forward(self, x, states):
        """x: [steps, batch, dim]; gives all layers' outputs and states."""
        outputs, after = [], []
        for layer, lstm in enumerate(self.layers):
            y, state = lstm(x, states[layer] if states else None)
            x = x + y if layer > 0 else y
            outputs.append(x)
            after.append((state[0].detach(), state[1].detach()))
        return outputs, after


class Transformer(nn.Module):
    """Blocks with norms in front, and learned positions."""

    def __init__(self, args: argparse.Namespace):
        super().__init__()
        self.positions = nn.Embedding(args.unroll, args.units)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                args.units, args.heads, 4 * args.units, 0.0, "gelu",
                batch_first=True, norm_first=True)
            for _ in range(args.layers))
        self.norm = nn.LayerNorm(args.units)
        self.register_buffer("mask", torch.triu(
            torch.full((args.unroll, args.unroll), -math.inf), 1))

    def forward(self, x, causal: bool):
        """x: [batch, steps, units]; gives all layers' outputs."""
        steps = x.shape[1]
        x = x + self.positions.weight[:steps]
        outputs = []
        for layer in self.layers:
            x = layer(x, self.mask[:steps, :steps] if causal else None)
            outputs.append(x)
        outputs[-1] = self.norm(x)
        return outputs


class Model(nn.Module):

    def __init__(self, args: argparse.Namespace, vocab: int):
        super().__init__()
        sparse = args.task in ("sampled", "masked")
        width = args.projection or args.units
        self.vocab = vocab
        self.samples = args.samples
        self.words = nn.Embedding(vocab, args.dim, sparse=sparse)
        self.directions = nn.ModuleList(
            [Transformer(args)] if args.heads else
            [Direction(args), Direction(args)])
        self.rows = nn.Embedding(vocab, width, sparse=sparse)
        self.bias = nn.Embedding(vocab, 1, sparse=sparse)

    def full_loss(self, hidden, targets):
        logits = torch.addmm(self.bias.weight.squeeze(1), hidden,
                             self.rows.weight.t())
        return functional.cross_entropy(logits, targets)

    def log_expected(self, ids):
        """Of log-uniform words among `samples` draws."""
        p = torch.log1p(1 / (ids + 1.0)) / math.log(self.vocab + 1)
        return torch.log(-torch.expm1(self.samples * torch.log1p(-p)))

    def sampled_loss(self, hidden, targets):
        """Softmax over the target and noise, by expected counts (Jean et al.,
        ACL 2015)."""
        draws = torch.rand(self.samples)
        noise = (torch.exp(draws * math.log(self.vocab + 1)) - 1).long()
        noise = noise.clamp_(max=self.vocab - 1)
        true = ((hidden * self.rows(targets)).sum(1)
                + self.bias(targets).squeeze(1) - self.log_expected(targets))
        false = (hidden @ self.rows(noise).t() + self.bias(noise).squeeze(1)
                 - self.log_expected(noise))
        false = false.masked_fill(noise[None, :] == targets[:, None], -1e9)
        logits = torch.cat([true[:, None], false], 1)
        return functional.cross_entropy(
            logits, torch.zeros(len(logits), dtype=torch.long))


def train(args: argparse.Namespace, sentences, vocab: int) -> tuple[int, float]:
    """Rows of text side by side, from end to end, as in bilm-tf."""
    ids = np.fromiter((i for words in sentences for i in words), dtype=np.int64)
    length = len(ids) // args.batch
    steps = min((length - 1) // args.unroll,
                max(1, args.tokens // (args.batch * args.unroll)))
    columns = torch.from_numpy(
        ids[:length * args.batch].reshape(args.batch, length).T.copy())
    model = Model(args, vocab)
    loss_of = (model.sampled_loss if args.task == "sampled"
               else model.full_loss)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01,
                                    initial_accumulator_value=1.0)
    dense = [p for d in model.directions for p in d.parameters()]
    states = [None, None]
    begin = time.process_time()
    for step in range(steps):
        first = step * args.unroll
        chunk = columns[first:first + args.unroll + 1]
        x = model.words(chunk)
        loss = 0
        for side, direction in enumerate(model.directions):
            # Each predicts the word that it comes to next.
            inputs = x[:-1] if side == 0 else x[1:].flip(0)
            targets = chunk[1:] if side == 0 else chunk[:-1].flip(0)
            outputs, states[side] = direction(inputs, states[side])
            hidden = outputs[-1]
            loss = loss + loss_of(hidden.reshape(-1, hidden.shape[-1]),
                                  targets.reshape(-1)) / 2
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(dense, 10.0)
        optimizer.step()
    seconds = time.process_time() - begin
    if not math.isfinite(loss.item()):
        sys.exit("the loss is no longer finite")
    return steps * args.batch * args.unroll, seconds


def train_transformer(args: argparse.Namespace, sentences,
                      vocab: int) -> tuple[int, float]:
    """Chunks of text that stand for themselves."""
    ids = torch.tensor([i for words in sentences for i in words])
    rows = len(ids) // (args.unroll + 1)
    chunks = ids[:rows * (args.unroll + 1)].view(rows, args.unroll + 1)
    steps = min(rows // args.batch,
                max(1, args.tokens // (args.batch * args.unroll)))
    model = Model(args, vocab)
    loss_of = model.full_loss if args.task == "full" else model.sampled_loss
    sparse = [] if args.task == "full" else [
        model.words.weight, model.rows.weight, model.bias.weight]
    dense = [p for p in model.parameters()
             if all(p is not other for other in sparse)]
    optimizers = [torch.optim.Adam(dense, lr=0.001)]
    if sparse:
        optimizers.append(torch.optim.SparseAdam(sparse, lr=0.001))
    begin = time.process_time()
    for step in range(steps):
        chunk = chunks[step * args.batch:(step + 1) * args.batch]
        if args.task == "masked":
            targets = chunk[:, :-1]
            hidden_words = torch.rand(targets.shape) < 0.15
            inputs = targets.masked_fill(hidden_words, len(MARKS))
        else:
            inputs, targets = chunk[:, :-1], chunk[:, 1:]
        top = model.directions[0](model.words(inputs),
                                  args.task != "masked")[-1]
        if args.task == "masked":
            loss = loss_of(top[hidden_words], targets[hidden_words])
        else:
            loss = loss_of(top.reshape(-1, top.shape[-1]), targets.reshape(-1))
        for optimizer in optimizers:
            optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(dense, 1.0)
        for optimizer in optimizers:
            optimizer.step()
    seconds = time.process_time() - begin
    if not math.isfinite(loss.item()):
        sys.exit("the loss is no longer finite")
    return steps * args.batch * args.unroll, seconds


@torch.no_grad()
def embed(args: argparse.Namespace, sentences, vocab: int) -> tuple[int, float]:
    """All layers of sentences of equal length, written to a file."""
    model = Model(args, vocab).eval()
    lengths = {len(words) for words in sentences}
    if len(lengths) != 1:
        sys.exit(f"expected sentences of one length, found {len(lengths)}")
    columns = torch.tensor(sentences).t().contiguous()
    inner = columns.shape[0] - 2
    tokens = 0
    begin = time.process_time()
    with open(args.output, "wb") as out:
        for first in range(0, columns.shape[1], args.batch):
            x = model.words(columns[:, first:first + args.batch])
            if args.heads:
                outputs = model.directions[0](x.transpose(0, 1), True)
                values = torch.stack([x.transpose(0, 1), *outputs], 1)
                values[:, :, 1:-1].contiguous().numpy().tofile(out)
                tokens += inner * x.shape[1]
                continue
            ahead, _ = model.directions[0](x, None)
            back, _ = model.directions[1](x.flip(0), None)
            width = ahead[0].shape[-1]
            if args.dim == width:
                bottom = torch.cat([x, x], 2)
            else:
                bottom = functional.pad(x, (0, 2 * width - args.dim))
            layers = [bottom] + [torch.cat([a, b.flip(0)], 2)
                                 for a, b in zip(ahead, back)]
            # [sentence, token, layer, dim] without the marks
            values = torch.stack([layer[1:-1] for layer in layers], 2)
            values.transpose(0, 1).contiguous().numpy().tofile(out)
            tokens += inner * x.shape[1]
    return tokens, time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("task", choices=("sampled", "full", "masked", "embed"))
    parser.add_argument("text")
    for option, default in (("dim", 100), ("units", 256), ("projection", 0),
                            ("layers", 1), ("heads", 0), ("vocab", 20000),
                            ("samples", 2048), ("batch", 32), ("unroll", 20),
                            ("tokens", 100000), ("threads", 1)):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--output", help="of embed")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    sentences, vocab = read_ids(args.text, args.vocab)
    work = (embed if args.task == "embed" else
            train_transformer if args.heads else train)
    tokens, seconds = work(args, sentences, vocab)
    print(json.dumps({"tokens": tokens, "cpu_seconds": seconds,
                      "process_cpu_seconds": time.process_time(),
                      "vocab": vocab}))


if __name__ == "__main__":
    main()
