"""Credentials go, everything else stays, and doing it twice changes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.redaction import Redactor, redact, redact_json

SECRETS = {
    "openai-key": "sk-proj-abcDEF0123456789abcDEF",
    "anthropic-key": "sk-ant-api03-abcDEF0123456789",
    "google-key": "AIzaSyA0123456789abcdefghijklmnopqrstuv",
    "github-token": "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "gitlab-token": "glpat-abcdefghij0123456789",
    "slack-token": "xoxb-123456789012-abcdefABCDEF",
    "aws-key": "AKIAIOSFODNN7EXAMPLE",
    "huggingface-token": "hf_abcdefghijklmnopqrstuvwxyz",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----",
}
LED = {
    "Authorization: Bearer abc.def-123456": "abc.def-123456",
    "Authorization: Basic dXNlcjpwYXNzd29yZA==": "dXNlcjpwYXNzd29yZA==",
    '{"x-api-key": "0123-abcdef-key"}': "0123-abcdef-key",
    "postgres://app:hunter22@db.internal/x": "hunter22",
    "https://host/v1?key=abcdef123&x=1": "abcdef123",
    "https://host/v1?x=1&api_key=abcdef123": "abcdef123",
    "export DEPLOY_TOKEN=letmeinplease": "letmeinplease",
    "PASSWORD=12345678": "12345678",
    "db_password: 'correct-horse-9'": "correct-horse-9",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCY",
    "CLIENT_SECRET=0123456789abcdef0123456789abcdef": "0123456789abcdef0123456789abcdef",
}
HARMLESS = [
    "commit 0123456789abcdef0123456789abcdef01234567",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "max_tokens=1024, token: 12345678",
    "The basic idea: a bearer of news has a key and a token.",
    "for key, value in pairs: tokens += 1",
    "password: required",
    "https://host/v1/models?page=2",
    "API_KEY=$OPENAI_API_KEY",
    "skill-and-task-with-many-dashes-in-one-word",
]


@pytest.mark.parametrize("kind", SECRETS)
def test_known_shapes_are_named_and_gone(kind: str) -> None:
    redactor = Redactor(environ={})
    assert redactor.redact(f"before {SECRETS[kind]} after") == f"before [redacted:{kind}] after"
    assert redactor.found == {kind: 1}


@pytest.mark.parametrize("text", LED)
def test_what_is_named_as_a_secret_goes(text: str) -> None:
    redacted = Redactor(environ={}).redact(text)
    assert LED[text] not in redacted
    assert "[redacted:" in redacted


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert Redactor(environ={}).redact(text) == text


def test_values_of_secret_variables_go_and_others_stay() -> None:
    environ = {"MY_SERVICE_TOKEN": "correcthorsebattery", "EDITOR": "some-long-editor", "API_KEY": "short"}
    redactor = Redactor(["an extra secret"], environ=environ)
    assert redactor.redact("correcthorsebattery some-long-editor short an extra secret") == (
        "[redacted:environment] some-long-editor short [redacted:environment]"
    )


def test_the_environment_of_this_process_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "nothing-special-here")
    assert "nothing-special" not in redact("it was nothing-special-here")
    assert redact_json({"a": ["nothing-special-here"]}) == {"a": ["[redacted:environment]"]}


def test_json_keeps_its_shape_and_hides_by_key() -> None:
    value = {"password": "hunter22hunter", "n": 1, "deep": [{"text": SECRETS["jwt"]}, None, True]}
    assert Redactor(environ={}).redact_json(value) == {
        "password": "[redacted:assignment]",
        "n": 1,
        "deep": [{"text": "[redacted:jwt]"}, None, True],
    }


PIECES = st.sampled_from(
    [*SECRETS.values(), *LED, *HARMLESS, "key=", "token: ", "://", "@", ":", "[redacted:x]", "\n"]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=8).map("".join)


@given(TEXTS)
def test_redacting_twice_changes_nothing(text: str) -> None:
    redactor = Redactor(["extra-secret-value"], environ={"A_TOKEN": "plain-token-value"})
    once = redactor.redact(text)
    assert redactor.redact(once) == once


@given(st.text(max_size=40), st.sampled_from(sorted(SECRETS)), st.text(max_size=40))
def test_a_known_secret_never_survives_its_surroundings(before: str, kind: str, after: str) -> None:
    redacted = Redactor(environ={}).redact(f"{before} {SECRETS[kind]} {after}")
    assert SECRETS[kind] not in redacted
