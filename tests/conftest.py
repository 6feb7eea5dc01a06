"""Shared by tests of several kinds: tiny models, and one run of the pipeline on little data."""

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings
from jaxtyping import install_import_hook
from matplotlib import pyplot as plt
from small_run import (
    measure,
    otherwise_named,
    publish,
    render,
    run_apart,
    small_parameters,
    write_parameters,
)

from analysis.site.source import cache

ROOT = Path(__file__).parents[1]

# Threads cost more than tiny models take; read when torch is first imported, here or in a process
# that a test starts.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A property test does not fail because the machine is busy.
settings.register_profile("project", max_examples=50, deadline=None)
settings.load_profile("project")

# Shapes in signatures are checked at every call.
install_import_hook(
    [
        f"attention_mixing.methods.{path.stem}"
        for path in (ROOT / "attention_mixing" / "methods").glob("*.py")
        if "from jaxtyping import" in path.read_text(encoding="utf-8")
    ],
    "beartype.beartype",
)

WORDS = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] the a dull bright film plot was is very not but and actor "
    "music good bad ##s ##ly . , ! brown cap ##y ##bara sleeping now"
).split()
SIZES = {
    "vocab_size": len(WORDS),
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 40,
}
PAIR = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
# The same by the names of each architecture.
KINDS = {
    "bert": SIZES,
    "llama": SIZES,
    # RoBERTa counts positions from the padding index + 1.
    **dict.fromkeys(
        ("roberta", "xlm-roberta", "camembert"), SIZES | PAIR | {"max_position_embeddings": 41}
    ),
    "modernbert": SIZES | PAIR | {"cls_token_id": 2, "sep_token_id": 3},
    "llama4_text": {
        **SIZES,
        **{"pad_token_id": 0, "head_dim": 8, "num_key_value_heads": 2, "intermediate_size_mlp": 64},
        **{"num_local_experts": 2, "moe_layers": [1]},
    },
    "distilbert": {
        **{"vocab_size": len(WORDS), "max_position_embeddings": 40},
        **{"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64},
    },
    "gpt2": {
        **{"vocab_size": len(WORDS), "n_positions": 40},
        **{"n_embd": 32, "n_layer": 2, "n_head": 4},
    },
    "t5": {
        **{"vocab_size": len(WORDS), "decoder_start_token_id": 0},
        **{"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4},
    },
}
TEXTS = (
    "the brown capybara is sleeping now",
    "a dull plot",
    "the film was not very good, but the music was",
    "bad!",
    "the actors [MASK] brightly",
)


@pytest.fixture(autouse=True)
def rendered_elsewhere(monkeypatch, tmp_path_factory):
    """What tests render is remembered in no run."""
    monkeypatch.setattr(cache, "RENDERED", tmp_path_factory.getbasetemp() / "rendered")


@pytest.fixture(autouse=True)
def figures_are_closed():
    """What a test draws, no other test of its process finds open."""
    yield
    plt.close("all")


# What takes minutes or waits for what does, the longest first: a process that came to one of them
# last would work on when all others are done. The first makes the small run and its site, for which
# the next need not wait.
FIRST = (
    *("browser/test_pages.py", "test_make.py", "report/test_own_texts.py", "test_profiles.py"),
    *("report/test_unlearned.py", "figures/test_papermill.py", "prose/test_kept.py"),
    *("test_pipeline.py", "browser/test_explorer.py", "browser/test_controls.py"),
)


# What is given a run of the pipeline, or its site: in the browser, the site of a `renderer`.
RUNS = {"finished_twice", "circuits", "small_site", "small_site_by_quarto", "renderer"}


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for a run or a browser; begin with the longest files, as xdist then does."""
    for item in items:
        asks_for_run = not RUNS.isdisjoint(getattr(item, "fixturenames", ()))
        if asks_for_run or item.path.parent == ROOT / "tests" / "browser":
            item.add_marker(pytest.mark.slow)
    places = {ROOT / "tests" / name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.path, len(FIRST)))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-picture", action="store_true", help="write the pictures of the READMEs anew"
    )


def made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable) -> Path:
    """Directory that ``make`` fills; the first process to ask makes it, the others wait for it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    directory, done = shared / name, shared / f"{name}.done"
    with FileLock(shared / f"{name}.lock"):
        if not done.exists():
            make(directory)
            done.touch()
    return directory


def measure_twice(directory: Path) -> None:
    first, second = (directory / name for name in ("first", "second"))
    for one in (first, second):
        one.mkdir(parents=True)
        write_parameters(one, otherwise_named(small_parameters()))
    with ThreadPoolExecutor(2) as pool:
        again = pool.submit(measure, second, "films")
        measure(first, "films", "own", "next-words", "to-german")
        again.result()


@pytest.fixture(scope="session")
def finished_twice(tmp_path_factory) -> tuple[Path, Path]:
    """Two runs from scratch: all experiments, and the trained encoder once more."""
    runs = made_once(tmp_path_factory, "small-runs", measure_twice)
    return runs / "first", runs / "second"


@pytest.fixture(scope="session")
def finished(finished_twice) -> Path:
    return finished_twice[0]


@pytest.fixture(scope="session")
def circuits(tmp_path_factory) -> Path:
    """The run of the stage ``circuits`` that all small runs share."""
    return made_once(tmp_path_factory, "circuits", run_apart)


@pytest.fixture(scope="session")
def circuit_results(circuits) -> Path:
    """Directory that it has written, of a single text."""
    return circuits / "results" / "circuits"


@pytest.fixture(scope="session")
def small_site(tmp_path_factory, finished, circuits) -> Path:
    """The site of the small run: every chapter's notebook, the ledger, the pages."""

    def make(directory: Path) -> None:
        shutil.copytree(finished, directory)
        publish(directory, circuits)

    return made_once(tmp_path_factory, "small-site", make) / "site"


@pytest.fixture(scope="session")
def small_site_by_quarto(tmp_path_factory, small_site) -> Path:
    """The same pages, rendered by Quarto."""

    def make(directory: Path) -> None:
        shutil.copytree(small_site.parent, directory, symlinks=True)
        render(directory, "quarto")

    return made_once(tmp_path_factory, "small-site-by-quarto", make) / "site"


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a test, as the present one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def tokenizer():
    """A WordPiece tokenizer of ``WORDS`` that takes up to 40 tokens."""
    from transformers import BertTokenizerFast

    vocabulary = {word: index for index, word in enumerate(WORDS)}
    return BertTokenizerFast(vocab=vocabulary, model_max_length=SIZES["max_position_embeddings"])


@pytest.fixture(scope="session")
def texts() -> tuple[str, ...]:
    """Texts of different lengths, so that a batch of them is padded."""
    return TEXTS


@pytest.fixture(scope="session")
def encoded(tokenizer, texts):
    from attention_mixing.models.encode import encode
    from attention_mixing.settings.experiment import Length

    return encode(texts, tokenizer, Length(max_tokens=40, longer="refuse"))


@pytest.fixture(scope="session")
def make_model() -> Callable:
    """Return ``make(kind, head=None, seed=0, **options)``: a tiny model of one architecture."""
    import torch
    import transformers

    def make(kind: str, head: str | None = None, seed: int = 0, **options):
        torch.manual_seed(seed)
        config = transformers.AutoConfig.for_model(kind, **(KINDS[kind] | options))
        automatic = getattr(transformers, f"AutoModel{head or ''}")
        return automatic.from_config(config).eval()

    return make


@pytest.fixture(scope="session")
def pretrained(tmp_path_factory, tokenizer, make_model) -> Path:
    """A tiny BERT and its tokenizer as ``save_pretrained`` writes them; to be left as they are."""
    from tiny_experiment import save

    path = tmp_path_factory.mktemp("pretrained") / "tiny-bert"
    save(make_model("bert"), tokenizer, path)
    return path


@pytest.fixture(scope="session")
def decoder(tmp_path_factory) -> Path:
    """A tiny language model that knows the words of the agreement grammar, to be left as it is."""
    from tiny_decoder import little
    from tiny_experiment import save

    path = tmp_path_factory.mktemp("decoder") / "tiny-decoder"
    save(*little(), path)
    return path


@pytest.fixture
def model_directory(tmp_path, pretrained) -> Path:
    """The same, to be changed."""
    return shutil.copytree(pretrained, tmp_path / "tiny-bert")
