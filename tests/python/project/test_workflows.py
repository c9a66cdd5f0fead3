"""The files of .github are valid, and pull requests are tested wherever wheels are released."""

import tomllib

import pytest

import checkout

yaml = pytest.importorskip("yaml", reason="dask installs PyYAML")

ROOT = checkout.root()
FOLDER = ROOT / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
TEMPLATES = sorted((FOLDER / "ISSUE_TEMPLATE").glob("[!c]*.yml"))


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def runners(workflow, job):
    matrix = read(FOLDER / "workflows" / workflow)["jobs"][job]["strategy"]["matrix"]
    return {entry["runner"] for entry in matrix["include"]}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_job_has_a_time_limit_and_steps_that_do_something(path):
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 90
        assert all(("run" in step) != ("uses" in step) for step in job["steps"])


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_every_issue_form_has_fields_with_labels(path):
    form = read(path)
    assert form["name"]
    assert form["description"]
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert fields
    assert all(field["attributes"]["label"] for field in fields)
    assert len({field["id"] for field in fields}) == len(fields)


def test_pull_requests_are_tested_on_every_platform_that_has_a_wheel():
    assert runners("release.yml", "wheels") <= runners("ci.yml", "platforms")


def test_pull_requests_are_checked_with_the_oldest_supported_rust():
    oldest = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]["rust-version"]
    steps = read(FOLDER / "workflows" / "ci.yml")["jobs"]["checks"]["steps"]
    assert any(f"rustup default {oldest}\n" in step.get("run", "") for step in steps)
