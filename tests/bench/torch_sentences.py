"""The trainer of sentence vectors in PyTorch, to time it and `firth sentences
train` in turn.

Trains as sentence-transformers does on a StaticEmbedding: nn.EmbeddingBag, the
softmax of the cosines of a batch in one or both directions, and AdamW or
SparseAdam. Prints as JSON how many pairs it trained and how many seconds of
CPU time its loop took.
"""

import argparse
import json
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("ids", help=".npy, int64 [pairs, 2, words]")
    parser.add_argument("--vocab", type=int, default=30522)
    parser.add_argument("--dim", type=int, required=True)
    parser.add_argument("--nested", default="")
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--sparse", action="store_true")
    parser.add_argument("--one-sided", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    ids = torch.from_numpy(np.load(args.ids))
    bag = nn.EmbeddingBag(args.vocab, args.dim, mode="mean",
                          sparse=args.sparse)
    optimizer = (torch.optim.SparseAdam(bag.parameters(), lr=0.005)
                 if args.sparse
                 else torch.optim.AdamW(bag.parameters(), lr=0.005))
    prefixes = [int(p) for p in args.nested.split(",") if p] + [args.dim]
    targets = torch.arange(args.batch)
    pairs = 0
    begin = time.process_time()
    for first in range(0, len(ids) - args.batch + 1, args.batch):
        batch = ids[first:first + args.batch]
        x, y = bag(batch[:, 0]), bag(batch[:, 1])
        loss = torch.zeros(())
        for prefix in prefixes:
            a = functional.normalize(x[:, :prefix], dim=1)
            b = functional.normalize(y[:, :prefix], dim=1)
            scores = a @ b.T * 20
            loss = loss + functional.cross_entropy(scores, targets)
            if not args.one_sided:
                loss = loss + functional.cross_entropy(scores.T, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        pairs += args.batch
    print(json.dumps({"pairs": pairs,
                      "cpu_seconds": time.process_time() - begin,
                      "loss": loss.item()}))


if __name__ == "__main__":
    main()
