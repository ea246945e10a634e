"""docs/notebook.ipynb runs, and its outputs are those that it is committed with."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebook.ipynb"

# Run after the notebook's own cells.
CHECKS = """
assert model.most_similar(positive=["paris", "italy"], negative=["france"],
                          topn=1)[0][0] == "rome"
assert measured.analogies[0].accuracy > 0.8
assert accuracy > 0.95
assert frame.loc["paris"].iloc[1:].tolist() == model["paris"].tolist()
assert list(again.words) == list(model.words)
import struct
content = (folder / "static" / "0_StaticEmbedding"
           / "model.safetensors").read_bytes()
size, = struct.unpack("<Q", content[:8])
rows = np.frombuffer(content[8 + size:], np.float32).reshape(-1, model.dim)
assert (rows[1:] == model.vectors).all() and not rows[0].any()
"""


def kinds_of_outputs(notebook):
    """Returns the set of the types of outputs of each code cell.

    Numbers are not compared: their last digits depend on the processor.
    """
    return [{output.output_type for output in cell.outputs}
            for cell in notebook.cells if cell.cell_type == "code"]


def test_the_notebook_runs(tmp_path, monkeypatch):
    for name in ("nbformat", "nbclient", "ipykernel", "matplotlib", "pandas",
                 "sklearn"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    committed = kinds_of_outputs(notebook)
    assert NOTEBOOK.stat().st_size < 100_000
    notebook.cells.append(nbformat.v4.new_code_cell(CHECKS))
    NotebookClient(notebook, timeout=300, resources={
        "metadata": {"path": str(tmp_path)}}).execute()
    assert kinds_of_outputs(notebook)[:-1] == committed
    shown = [output for cell in notebook.cells
             for output in cell.get("outputs", ())]
    assert not [output for output in shown if output.get("name") == "stderr"]
    assert any("image/png" in output.get("data", {}) for output in shown)
