"""The command ``vgdl doctor``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from vgdl import __version__, cli
from vgdl.competition import doctor
from vgdl.competition.agents.isolation import Level

pytestmark = pytest.mark.one_case


def test_it_says_for_each_level_of_isolation_whether_it_works_or_why_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.path.dirname(os.__file__))  # where there is no bubblewrap
    assert cli.main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["isolation"]) == {str(level) for level in Level}
    assert report["isolation"]["bwrap"].startswith("there is no bwrap on this machine: install bubblewrap")
    assert report["isolation"]["rlimits"] == doctor.WORKS
    assert report["versions"]["vgdl"] == __version__
    assert report["missing"] == []
    assert {"gym", "web", "llm"} <= report["extras"].keys()
    assert report["clock"].keys() == {"source", "exact", "limits_memory"}


def test_it_names_neither_host_nor_home(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert os.uname().nodename not in shown.replace(os.uname().release, "")
    assert str(Path.home()) not in shown
    assert "the best level that works" in shown


def test_a_missing_package_is_named_and_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = doctor._version
    monkeypatch.setattr(doctor, "isolation", dict)
    monkeypatch.setattr(doctor, "_version", lambda name: None if name in ("lark", "jinja2") else real(name))
    assert cli.main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert "lark missing" in shown
    assert "  report" in shown
    assert "lacks jinja2" in shown
