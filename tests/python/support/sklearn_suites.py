"""Test modules of scikit-learn with some of its classes replaced."""

import ast
import importlib.util
import sys
import types
import warnings
from pathlib import Path

import pytest

SEED = 42  # the default of scikit-learn


def suite(path, classes, failures, only=None, left_out=()):
    """Return a class whose static methods are the tests of a module of scikit-learn.

    They belong to a copy of the module in which the names in ``classes`` mean these classes;
    scikit-learn itself does not change. Tests that use none of the names are left out, and so are
    parameters that are other support vector machines; ``only`` and ``left_out`` name tests.
    ``failures`` maps reasons to the tests that must fail, each as ``Class::test`` or
    ``Class::test[parameters]``.
    """
    name = path.rpartition(".")[2]
    spec = importlib.util.find_spec(path)
    if spec is None:
        return type(name, (), {"test_module": lambda self: pytest.skip("it is not installed")})
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    module = types.ModuleType(f"softmargin_{name}")
    module.__file__ = spec.origin
    sys.modules[module.__name__] = module  # for pickles
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unknown marks
        _execute(tree, module, classes)
    uses = _names_used(tree)
    tests = {
        name: staticmethod(function)
        for name, function in vars(module).items()
        if name.startswith("test_") and name not in left_out and (only is None or name in only)
        if uses.get(name, set()) & classes.keys() and _drop_other_machines(function)
    }
    return type(name, (), tests | _fixtures(failures))


def _execute(tree, module, classes):
    """Execute a module; replace classes after its imports."""
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    others = [node for node in tree.body if node not in imports]
    names = vars(module)
    exec(compile(ast.Module(imports, []), module.__file__, "exec"), names)
    for name, value in names.items():
        if name in classes:
            names[name] = classes[name]
        elif isinstance(value, types.ModuleType) and classes.keys() & vars(value).keys():
            names[name] = types.SimpleNamespace(**vars(value) | classes)
    exec(compile(ast.Module(others, []), module.__file__, "exec"), names)


def _names_used(tree):
    """Return the names that each definition uses, also through other definitions."""
    uses = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            parts = list(ast.walk(node))
            uses[node.name] = {part.id for part in parts if isinstance(part, ast.Name)}
            uses[node.name] |= {part.attr for part in parts if isinstance(part, ast.Attribute)}
    is_complete = False
    while not is_complete:
        is_complete = True
        for names in uses.values():
            size = len(names)
            names.update(*(uses.get(name, ()) for name in tuple(names)))
            is_complete &= len(names) == size
    return uses


def _drop_other_machines(function):
    """Drop parameters with other support vector machines; return whether any are left."""
    marks = getattr(function, "pytestmark", [])
    for place, mark in enumerate(marks):
        if mark.name != "parametrize":
            continue
        names, values = mark.args[0], list(mark.args[1])
        kept = [number for number, value in enumerate(values) if not _is_other_machine(value)]
        if not kept:
            return False
        options = dict(mark.kwargs)
        if isinstance(options.get("ids"), list | tuple):
            options["ids"] = [options["ids"][number] for number in kept]
        kept = [values[number] for number in kept]
        marks[place] = pytest.mark.parametrize(names, kept, **options).mark
    return True


def _is_other_machine(value):
    parts = value if isinstance(value, tuple | list) else [value]
    kinds = [part if isinstance(part, type) else type(part) for part in parts]
    return any(kind.__module__.startswith("sklearn.svm") for kind in kinds)


def _fixtures(failures):
    reasons = {test: reason for reason, tests in failures.items() for test in tests}

    @pytest.fixture(autouse=True)
    def expect_failure(self, request):
        test = request.node.nodeid.partition("::")[2]
        reason = reasons.get(test, reasons.get(test.partition("[")[0]))
        if reason is not None:
            request.applymarker(pytest.mark.xfail(reason=reason, strict=True))

    @pytest.fixture
    def global_random_seed(self):
        return SEED

    return {"expect_failure": expect_failure, "global_random_seed": global_random_seed}
