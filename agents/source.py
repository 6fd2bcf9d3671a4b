"""A user's source file, looked at without running it.

Code that is to run in a child process must not run here, not even to find out what it defines. The
syntax tree tells what an import would: which classes act, what their constructors take, what they
declare. Where it cannot tell (a star import, a base class from elsewhere) it says so, and the child
process will.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gymposium.errors import UnknownName, UsageError

from ..envs.start_folder import here

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Definition:
    """One name a file defines.

    Attributes:
        name: as written.
        kind: a class, a function, or anything else (an assignment, an import).
        acts: for a class: it has ``act`` or ``__call__``, its own or from a base in the file.
        inherits: for a class: a base is from elsewhere, and may have what this one lacks.
        parameters: what its constructor (or the function) takes; None if that cannot be told.
        required: those of them without a default.
        flags: the boolean class attributes it declares (``deterministic``, ``language``).
        summary: first line of its docstring.
    """

    name: str
    kind: Literal["class", "function", "other"]
    acts: bool = False
    inherits: bool = False
    parameters: tuple[str, ...] | None = None
    required: tuple[str, ...] = ()
    flags: Mapping[str, bool] = field(default_factory=dict)
    summary: str = ""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """What a source file defines at its top level.

    Attributes:
        path: the file.
        sha256: of its bytes, hexadecimal.
        definitions: by name.
        open: more names may appear when it runs (``from x import *``, ``__getattr__``).
    """

    path: Path
    sha256: str
    definitions: Mapping[str, Definition]
    open: bool = False

    def find(self, attr: str, where: str) -> Definition | None:
        """The definition of ``attr``; None if only running the file can tell.

        Raises:
            UnknownName: the file does not define it.
        """
        first, dot, _ = attr.partition(".")
        found = self.definitions.get(first)
        if found is None and not self.open:
            known = [d.name for d in self.definitions.values() if d.kind != "other"]
            raise UnknownName("agent", attr, known or self.definitions, where=where)
        return None if dot else found

    def only_agent(self, where: str) -> Definition:
        """The one agent the file defines: its acting class, or else its one public function.

        Raises:
            UsageError: there is none, or there are several.
        """
        public = [d for d in self.definitions.values() if not d.name.startswith("_")]
        acting = [d for d in public if d.kind == "class" and d.acts]
        found = acting or [d for d in public if d.kind == "function"]
        found = found or [d for d in public if d.inherits]
        if len(found) == 1:
            return found[0]
        if not found:
            raise UsageError(
                f"{where} defines no agent: write a class with act(self, turn), or a function of "
                "the turn"
            )
        names = ", ".join(d.name for d in found)
        raise UsageError(
            f"{where} defines several agents ({names}): say which, as in {where}:{found[0].name}"
        )


def read_source(path: Path, where: str) -> SourceFile:
    """Look at a file.

    Args:
        path: the file.
        where: how the user calls it, for messages.

    Raises:
        UsageError: it cannot be read, or is not Python (the sentence has the line).
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there is no file {where}{_similar(path)}") from None
    except OSError as error:
        raise UsageError(f"{where} cannot be read: {error.strerror or error}") from None
    digest = hashlib.sha256(data).hexdigest()
    if path.suffix != ".py":
        return SourceFile(path, digest, {}, open=True)
    try:
        tree = ast.parse(data, filename=str(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        place = f"{path.name}:{line}" if line else path.name
        what = getattr(error, "msg", None) or error
        raise UsageError(f"{where} is not valid Python: {what} ({place})") from None
    return _survey(path, digest, tree.body)


def find_source(target: str, root: Path, *, file: bool) -> tuple[SourceFile, str, str]:
    """A user's source by the name it was given.

    Args:
        target: a file or a module.
        root: the folder relative files are relative to.
        file: which of the two ``target`` is.

    Returns:
        The source, what to load it by, and what to call it (a file's place does not matter).

    Raises:
        UsageError: it does not exist, cannot be read, or is not Python.
    """
    if not file:
        return read_source(find_module(target), target), target, target
    path = (root / Path(target).expanduser()).resolve()
    return read_source(path, target), str(path), Path(target).name


def find_module(module: str) -> Path:
    """The file of ``module``, found without importing it or the packages above it.

    Raises:
        UsageError: there is no such module here, or it has no file.
    """
    path: Sequence[str] | None = None
    spec: ModuleSpec | None = None
    parts = module.split(".")
    for index in range(len(parts)):
        name = ".".join(parts[: index + 1])
        try:
            spec = _spec_of(name, path)
        except (ImportError, ValueError, AttributeError):
            spec = None
        if spec is None:
            missing = f" (no module {name!r})" if name != module else ""
            raise UsageError(
                f"no module {module!r}{missing} is installed or in the current directory; a file "
                "of your own is named FILE.py:CLASS"
            )
        path = spec.submodule_search_locations
    if spec is None or not spec.origin or spec.origin in ("built-in", "frozen"):
        raise UsageError(f"the module {module!r} has no file, so it holds no agent")
    return Path(spec.origin)


def _spec_of(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    # Editable installs find their packages by finders of their own, before the path is searched.
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        spec: ModuleSpec | None = find(name, path) if find else None
        if spec is not None:
            return spec
    return PathFinder.find_spec(name, [str(here())]) if path is None else None


def _similar(path: Path) -> str:
    from gymposium.errors import nearest

    try:
        near = nearest(path.name, [p.name for p in path.parent.glob("*.py")])
    except OSError:
        near = []
    if near:
        return f": did you mean {' or '.join(map(repr, near))}?"
    return "" if path.parent.is_dir() else f": there is no folder {path.parent}"


def _survey(path: Path, digest: str, body: Sequence[ast.stmt]) -> SourceFile:
    found: dict[str, Definition] = {}
    classes: dict[str, ast.ClassDef] = {}
    ours: dict[str, tuple[str, str]] = {}
    unsure = False
    for node in _statements(body):
        if isinstance(node, ast.ClassDef):
            classes[node.name] = node
            found[node.name] = _class(node, classes, ours)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            unsure |= node.name == "__getattr__"
            found[node.name] = _function(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                unsure |= alias.name == "*"
                name = alias.asname or alias.name.split(".")[0]
                found[name] = Definition(name, "other")
                module = getattr(node, "module", None) or ""
                if module.startswith("gymposium.") and not getattr(node, "level", 0):
                    ours[name] = module, alias.name
        else:
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    found[part.id] = Definition(part.id, "other")
    return SourceFile(path, digest, found, unsure)


def _statements(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Top-level statements, those under ``if`` and ``try`` included."""
    flat: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.If | ast.Try | ast.With):
            blocks = [node.body, getattr(node, "orelse", []), getattr(node, "finalbody", [])]
            blocks += [handler.body for handler in getattr(node, "handlers", [])]
            for block in blocks:
                flat += _statements(block)
        else:
            flat.append(node)
    return flat


def _function(node: _Function) -> Definition:
    names, required = _arguments(node.args)
    summary = (ast.get_docstring(node) or "").partition("\n")[0]
    # The first parameter is the turn; a factory has it too, to be given by the spec.
    return Definition(
        node.name, "function", acts=True, parameters=names,
        required=tuple(r for r in required if r != (names or ("",))[0]), summary=summary,
    )  # fmt: skip


def _arguments(args: ast.arguments) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    plain = [*args.posonlyargs, *args.args]
    required = [a.arg for a in plain[: len(plain) - len(args.defaults)]]
    keyword = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    required += [a.arg for a, default in keyword if default is None]
    names = tuple(a.arg for a in [*plain, *args.kwonlyargs])
    return (None if args.kwarg else names), tuple(required)


def _class(
    node: ast.ClassDef,
    classes: Mapping[str, ast.ClassDef],
    ours: Mapping[str, tuple[str, str]],
) -> Definition:
    line, complete = _lineage(node, classes)
    members = [item for one in line for item in one.body]
    methods = {m.name for m in members if isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef)}
    flags: dict[str, bool] = {}
    for item in reversed(members):
        target = item.targets[0] if isinstance(item, ast.Assign) else getattr(item, "target", None)
        value = getattr(item, "value", None)
        if (
            isinstance(target, ast.Name)
            and isinstance(value, ast.Constant)
            and isinstance(value.value, bool)
        ):
            flags[target.id] = value.value
    names = [base.id for one in line for base in one.bases if isinstance(base, ast.Name)]
    known = [_base(*ours[name]) for name in names if name in ours]
    for base in known:
        for flag in ("deterministic", "language"):
            if isinstance(getattr(base, flag, None), bool):
                flags.setdefault(flag, getattr(base, flag))
    parameters, required = _constructor(line) if complete or _has_init(node) else (None, ())
    acts = bool(methods & {"act", "__call__"}) or any(hasattr(base, "act") for base in known)
    summary = (ast.get_docstring(node) or "").partition("\n")[0]
    return Definition(node.name, "class", acts, not complete, parameters, required, flags, summary)


def _base(module: str, name: str) -> Any:
    """A base class of gymposium's own, which may be imported, unlike a user's; or None."""
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None  # the process that runs the file will say it


def _lineage(
    node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> tuple[list[ast.ClassDef], bool]:
    """The class and its bases in the file, nearest first; and whether no base is from elsewhere."""
    line, complete = [node], not node.keywords
    for base in node.bases:
        name = base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")
        if name in classes and classes[name] is not node:
            above, whole = _lineage(classes[name], classes)
            line += above
            complete &= whole
        elif name not in ("object", "Agent", "Protocol", "ABC"):
            complete = False
    return line, complete


def _has_init(node: ast.ClassDef) -> bool:
    return any(isinstance(item, _Function) and item.name == "__init__" for item in node.body)


def _constructor(line: Sequence[ast.ClassDef]) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    for node in line:
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and item.name in ("__init__", "__new__"):
                names, required = _arguments(item.args)
                return (None if names is None else names[1:]), required[1:]
        if node.decorator_list:
            return _dataclass_fields(line)
    return (), ()


def _dataclass_fields(
    line: Sequence[ast.ClassDef],
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """What a dataclass's constructor takes; None under any other decorator."""
    for node in line:
        names = [ast.unparse(item).partition("(")[0] for item in node.decorator_list]
        if [name.rpartition(".")[2] for name in names] != ["dataclass"]:
            return None, ()
    found: dict[str, bool] = {}
    for item in (item for node in reversed(line) for item in node.body):
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if "ClassVar" in ast.unparse(item.annotation):
                continue
            value = "" if item.value is None else ast.unparse(item.value)
            if "init=False" in value:
                continue
            makes = value.startswith(("field(", "dataclasses.field("))
            found[item.target.id] = not value or (makes and "default" not in value)
    return tuple(found), tuple(name for name, needed in found.items() if needed)
