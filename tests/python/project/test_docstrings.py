"""The examples in all docstrings run and print what they say."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import softmargin


class Finder(doctest.DocTestFinder):
    """Finds the examples of public classes, whose ``__module__`` is the package, as well."""

    def _from_module(self, module, obj):
        if inspect.isclass(obj) and obj.__module__ == "softmargin":
            methods = (value for value in vars(obj).values() if inspect.isfunction(value))
            return any(method.__globals__ is vars(module) for method in methods)
        return super()._from_module(module, obj)


def modules():
    found = pkgutil.walk_packages(softmargin.__path__, "softmargin.")
    return ["softmargin", *(each.name for each in found if not each.name.endswith("__main__"))]


def examples(name):
    module = importlib.import_module(name)
    return [test for test in Finder().find(module, name) if test.examples]


@pytest.mark.parametrize("name", modules())
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in examples(name):
        runner.run(test)
    assert runner.failures == 0


def test_examples_of_public_classes_are_found():
    for name, module in {"SVC": "svc", "OLLAWV": "ollawv", "SGDSVC": "sgd"}.items():
        found = [test.name for test in examples(f"softmargin._estimators.{module}")]
        assert any(each.endswith(f".{name}") for each in found), found
