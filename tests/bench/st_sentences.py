"""The training of a StaticEmbedding by sentence-transformers, to time it and
`firth sentences train` in turn.

Uses the recipe of sentence-transformers for static models: its trainer, the
softmax of the cosines of a batch in one direction (MultipleNegativesRankingLoss),
MatryoshkaLoss for nested dimensions, and AdamW. Prints as JSON how many pairs it
trained and how many seconds of CPU time the trainer took, tokenization included.
"""

import argparse
import json
import tempfile
import time

import torch
from datasets import Dataset
from sentence_transformers import (SentenceTransformer, SentenceTransformerTrainer,
                                   SentenceTransformerTrainingArguments)
from sentence_transformers.losses import (MatryoshkaLoss,
                                          MultipleNegativesRankingLoss)
from sentence_transformers.models import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", help="lines of two texts of words w0, w1, ...")
    parser.add_argument("--vocab", type=int, default=30522)
    parser.add_argument("--dim", type=int, required=True)
    parser.add_argument("--nested", default="")
    parser.add_argument("--batch", type=int, default=2048)
    args = parser.parse_args()
    torch.set_num_threads(1)
    vocabulary = {f"w{i}": i for i in range(args.vocab)}
    vocabulary["[UNK]"] = args.vocab
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    model = SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_dim=args.dim)], device="cpu")
    with open(args.pairs, encoding="ascii") as file:
        texts = [line.rstrip("\n").split("\t") for line in file]
    texts = texts[:len(texts) // args.batch * args.batch]
    data = Dataset.from_dict({"anchor": [a for a, _ in texts],
                              "positive": [b for _, b in texts]})
    loss = MultipleNegativesRankingLoss(model)
    if args.nested:
        loss = MatryoshkaLoss(
            model, loss,
            matryoshka_dims=[*map(int, args.nested.split(",")), args.dim])
    with tempfile.TemporaryDirectory() as folder:
        trainer = SentenceTransformerTrainer(
            model=model, train_dataset=data, loss=loss,
            args=SentenceTransformerTrainingArguments(
                output_dir=folder, use_cpu=True, num_train_epochs=1,
                per_device_train_batch_size=args.batch, learning_rate=0.2,
                save_strategy="no", report_to="none", disable_tqdm=True))
        begin = time.process_time()
        trainer.train()
        seconds = time.process_time() - begin
    print(json.dumps({"pairs": len(texts), "cpu_seconds": seconds}))


if __name__ == "__main__":
    main()
