"""Language models and taggers, beside the command line."""

import copy
import pickle
import subprocess

import numpy as np
import pytest

import firth

SENTENCES = [["the", "king", "sleeps"], ["queen"]]


def test_embed_gives_each_layer_of_each_token(language_model):
    every = language_model.embed(SENTENCES)
    layers, dim = language_model.layers, language_model.dim
    assert [array.shape for array in every] == [
        (layers, 3, dim), (layers, 1, dim)]
    for array, top, first in zip(every,
                                 language_model.embed(SENTENCES, layers="top"),
                                 language_model.embed(SENTENCES, layers=0)):
        assert array.dtype == np.float32 and not array.flags.writeable
        np.testing.assert_array_equal(top, array[-1])
        np.testing.assert_array_equal(first, array[0])


def test_embed_is_what_the_command_writes(language_model, program, tmp_path):
    language_model.save(tmp_path / "lm.safetensors")
    subprocess.run(
        [program, "embed", tmp_path / "lm.safetensors", "--layers", "all",
         "--output", tmp_path / "out.npy"],
        input="the king sleeps\nqueen\n", text=True, check=True,
        capture_output=True)
    np.testing.assert_allclose(
        np.concatenate(language_model.embed(SENTENCES), axis=1),
        np.load(tmp_path / "out.npy").transpose(1, 0, 2), atol=1e-6)


def test_layers_that_do_not_exist_are_refused(language_model):
    for layers in (99, -1, True, "bottom"):
        with pytest.raises(ValueError, match='"top" or 0 to'):
            language_model.embed(SENTENCES, layers=layers)
    assert language_model.embed([]) == []


def test_score_is_what_the_command_prints(language_model, program, tmp_path):
    language_model.save(tmp_path / "lm.safetensors")
    printed = subprocess.run(
        [program, "lm", "score", tmp_path / "lm.safetensors"],
        input="the king sleeps\nqueen\n", text=True, check=True,
        capture_output=True).stdout
    scores = language_model.score(["the king sleeps", ["queen"]])
    assert scores.dtype == np.float64 and scores.shape == (2,)
    np.testing.assert_allclose(
        scores, [float(line.split()[0]) for line in printed.splitlines()],
        rtol=1e-3)


def test_perplexity_is_the_exponential_of_the_loss(language_model):
    report = language_model.perplexity(["the king sleeps"] * 3)
    forward = report["forward"]
    assert forward["tokens"] > 0
    assert forward["perplexity"] == pytest.approx(np.exp(forward["loss"]))


def test_generate_writes_sentences(language_model):
    sentences = language_model.generate("the", seed=1, temperature=1.0)
    assert sentences and sentences[0].words[0] == "the"
    assert sentences[0].log_probability <= 0


def test_a_model_is_saved_and_loaded(language_model, tmp_path):
    path = tmp_path / "lm.safetensors"
    language_model.save(path)
    again = firth.LanguageModel.load(path)
    assert repr(again) == repr(language_model)
    for a, b in zip(again.embed(SENTENCES), language_model.embed(SENTENCES)):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(FileNotFoundError):
        firth.LanguageModel.load(tmp_path / "none.safetensors")


def test_files_of_another_kind_are_refused(native_path):
    with pytest.raises(ValueError, match="toy.safetensors"):
        firth.LanguageModel.load(native_path)
    with pytest.raises(ValueError, match="toy.safetensors"):
        firth.Tagger.load(native_path)


def test_training_options_are_checked():
    with pytest.raises(TypeError, match="closest is 'units'"):
        firth.LanguageModel.train(SENTENCES, unitz=5)


@pytest.fixture(scope="module")
def tagger_path(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tagger")
    text = folder / "tagged.txt"
    text.write_text("the DET\nking NOUN\nsleeps VERB\n\n"
                    "the DET\nqueen NOUN\nwakes VERB\n\n" * 30)
    vectors = folder / "vectors.safetensors"
    words = ["the", "king", "sleeps", "queen", "wakes"]
    firth.Vectors.from_arrays(words, np.eye(5)).save(vectors)
    subprocess.run(
        [program, "tag", "train", "--input", text, "--dev", text,
         "--vectors", vectors, "--units", "8", "--epochs", "20", "--output",
         folder / "tagger.safetensors"], check=True, capture_output=True)
    return folder / "tagger.safetensors", vectors


def test_a_tagger_tags_tokens(tagger_path):
    path, vectors = tagger_path
    tagger = firth.Tagger.load(path, vectors=vectors)
    assert set(tagger.tags) == {"DET", "NOUN", "VERB"}
    assert repr(tagger) == "<firth.Tagger: 3 tags>"
    expected = [["DET", "NOUN", "VERB"], ["DET", "NOUN"]]
    sentences = [["the", "king", "wakes"], "the queen"]
    assert tagger.tag(sentences) == expected
    sure = tagger.tag(sentences, probabilities=True)
    assert [[tag for tag, _ in sentence] for sentence in sure] == expected
    assert all(0 < p <= 1 for sentence in sure for _, p in sentence)
    assert tagger.tag([]) == []


def test_a_tagger_says_which_file_it_needs(tagger_path):
    with pytest.raises(ValueError, match="vectors"):
        firth.Tagger.load(tagger_path[0])


@pytest.mark.parametrize("copied", [
    lambda model: pickle.loads(pickle.dumps(model)), copy.copy, copy.deepcopy])
def test_models_are_pickled_and_copied(copied, language_model, tagger_path,
                                       tmp_path, monkeypatch):
    path, vectors = tagger_path
    monkeypatch.chdir(path.parent)
    tagger = firth.Tagger.load(path.name, vectors=vectors)
    monkeypatch.chdir(tmp_path)
    sentences = [["the", "king", "sleeps"]]
    assert copied(tagger).tag(sentences) == tagger.tag(sentences)
    expected = language_model.score(SENTENCES)
    np.testing.assert_array_equal(
        copied(language_model).score(SENTENCES), expected)
    language_model.save("lm.safetensors")
    loaded = firth.LanguageModel.load("lm.safetensors")
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(copied(loaded).score(SENTENCES), expected)


def test_a_pickle_of_a_model_holds_its_path_or_its_bytes(language_model,
                                                         tmp_path):
    in_memory = pickle.dumps(language_model)
    assert len(in_memory) > 1000
    # A model that a pickle has made has no file either.
    assert len(pickle.dumps(pickle.loads(in_memory))) == len(in_memory)
    language_model.save(tmp_path / "lm.safetensors")
    of_file = pickle.dumps(firth.LanguageModel.load(tmp_path / "lm.safetensors"))
    assert len(of_file) < 1000 and b"lm.safetensors" in of_file


ARPA = r"""\data\
ngram 1=5
ngram 2=2

\1-grams:
-1	<unk>
0	<s>	-0.5
-0.5	</s>
-0.5	the	-0.25
-1	king

\2-grams:
-0.25	<s> the
-0.125	the king

\end\
"""


def test_a_counting_model_answers_as_other_language_models_do(tmp_path):
    (tmp_path / "lm.arpa").write_text(ARPA)
    (tmp_path / "text.txt").write_text("the king\n")
    lm = firth.LanguageModel.load(tmp_path / "lm.arpa")
    log10 = -0.25 - 0.125 - 0.5
    np.testing.assert_allclose(lm.score(["the king"]), [log10 * np.log(10)])
    forward = lm.perplexity(tmp_path / "text.txt")["forward"]
    np.testing.assert_allclose(forward["loss"], -log10 * np.log(10) / 3)
    assert lm.generate("the", max_tokens=1)[0].words == ["the", "king"]
    assert lm.lm_score(text="the cat")["num_unknown"] == 1
    assert lm.layers == 0
    with pytest.raises(ValueError, match="has no layers"):
        lm.embed(["the king"])
    lm.save(tmp_path / "lm.safetensors")
    again = firth.LanguageModel.load(tmp_path / "lm.safetensors")
    np.testing.assert_array_equal(again.score(["the x"]), lm.score(["the x"]))
    lm.save(tmp_path / "again.arpa")
    assert "\\2-grams:" in (tmp_path / "again.arpa").read_text()


def test_a_broken_arpa_file_is_refused_with_its_line(tmp_path):
    path = tmp_path / "lm.arpa"
    path.write_text(ARPA.replace("ngram 2=2", "ngram 2=3"))
    with pytest.raises(ValueError, match=r"lm.arpa:16: expected 3 2-grams"):
        firth.LanguageModel.load(path)
