import dataclasses
import pickle
from pathlib import Path

import pytest

from pi_gym import ModelConfig
from pi_gym.models.config import BadModel


@pytest.mark.parametrize(
    ("text", "model", "url"),
    [
        ("Qwen/Qwen3-8B@http://127.0.0.1:8000/v1", "Qwen/Qwen3-8B", "http://127.0.0.1:8000/v1"),
        ("m@127.0.0.1:8000", "m", "http://127.0.0.1:8000/v1"),
        ("m@http://host:1/", "m", "http://host:1/v1"),
        ("m@https://host/openai/v2", "m", "https://host/openai/v2"),
        ("org/m@rev2@http://host:1/v1", "org/m@rev2", "http://host:1/v1"),
        ("m@http://me:pass@host:1/v1", "m", "http://me:pass@host:1/v1"),
        ("m@http://[::1]:8000", "m", "http://[::1]:8000/v1"),
    ],
)
def test_a_model_and_its_address_are_read_from_text(text, model, url):
    config = ModelConfig.from_text(text)
    assert (config.model, config.base_url) == (model, url)


@pytest.mark.parametrize("text", ["", "gpt", "@http://host", "m@", "m@http://", "m@http://host:port", "m@http://h?x=1"])
def test_other_texts_are_refused_with_what_is_expected(text):
    with pytest.raises(BadModel, match=r"MODEL@URL|address"):
        ModelConfig.from_text(text)


@pytest.mark.parametrize(
    "options",
    [
        {"model": " "},
        {"base_url": "sk-abcdef"},
        {"base_url": "ftp://host"},
        {"api_key": 5},
        {"temperature": 2.5},
        {"temperature": float("nan")},
        {"temperature": True},
        {"max_tokens": 0},
        {"max_concurrency": 0},
        {"timeout_s": 0},
        {"timeout_s": float("inf")},
        {"retries": -1},
        {"backoff_s": "1"},
        {"cache": ""},
        {"cache": 5},
        {"extra_body": {"x": object()}},
        {"extra_body": {"x": float("nan")}},
    ],
)
def test_values_out_of_range_are_refused_by_name(options):
    with pytest.raises(BadModel, match=next(iter(options))) as caught:
        ModelConfig(**{"base_url": "http://host/v1", "model": "m", **options})
    assert "sk-abcdef" not in str(caught.value)


def test_secrets_are_in_no_repr_and_no_record():
    config = ModelConfig("http://me:swordfish@host:1/v1", "m", api_key="sk-very-secret")
    told = f"{config!r} {config} {config.recorded()} {config.server} {[config]}"
    assert "swordfish" not in told
    assert "sk-very-secret" not in told
    assert "http://host:1/v1" in told
    assert config.hidden("401: sk-very-secret is wrong, swordfish too") == "401: (not shown) is wrong, (not shown) too"


def test_a_configuration_can_be_pickled_compared_hashed_and_not_changed():
    config = ModelConfig("http://host/v1", "m", extra_body={"top_k": 1})
    assert pickle.loads(pickle.dumps(config)) == config
    assert hash(config) == hash(ModelConfig("http://host/v1", "m", extra_body={"top_k": 1}))
    assert config != config.with_options(extra_body={})
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.model = "n"  # type: ignore[misc]


def test_the_key_comes_from_the_environment_unless_it_is_given(monkeypatch):
    monkeypatch.delenv("PI_GYM_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    config = ModelConfig("http://host/v1", "m")
    assert config.key == "none"
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    assert config.key == "theirs"
    monkeypatch.setenv("PI_GYM_API_KEY", "ours")
    assert config.key == "ours"
    assert config.with_options(api_key="given").key == "given"
    assert "ours" not in str(pickle.dumps(config))


def test_the_cache_lies_where_the_environment_says(monkeypatch, tmp_path):
    config = ModelConfig("http://host/v1", "m")
    monkeypatch.delenv("PI_GYM_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert config.cache_folder == tmp_path / "pi_gym"
    monkeypatch.setenv("PI_GYM_CACHE", str(tmp_path / "here"))
    assert config.cache_folder == tmp_path / "here"
    assert config.with_options(cache="there").cache_folder == Path("there")
    assert config.with_options(cache=None).cache_folder is None


def test_what_decides_the_answers_is_recorded_and_not_how_they_are_reached():
    one = ModelConfig("http://a/v1", "m", temperature=0.5, retries=1, api_key="k", timeout_s=1)
    other = ModelConfig("http://b:2/v1", "m", temperature=0.5, max_concurrency=1)
    assert one.recorded() == other.recorded()
    for change in ({"model": "n"}, {"temperature": 0.6}, {"max_tokens": 9}, {"extra_body": {"top_p": 0.5}}):
        assert one.with_options(**change).recorded() != one.recorded()
