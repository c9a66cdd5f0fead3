"""Options for reading a table or an ARFF file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from softmargin._files.schema import Schema

LabelUse = Literal["required", "optional", "ignored"]


@dataclass(frozen=True)
class Request:
    """How to read a table or an ARFF file.

    ``drop`` drops samples with a missing value, which otherwise raises an error. Labels are
    required, read if the file has them, or ignored. ``n_features`` is the number of features of a
    model without a schema: its tables contain only numbers, and have no labels if they have
    exactly this number of columns. ``may_be_wider`` allows more, as a LIBSVM model does not store
    trailing features that are 0. With ``targets``, labels are the targets of a regression.
    Messages name options as the caller knows them.
    """

    label_column: Any = None
    header: bool | None = None
    drop: bool = False
    labels: LabelUse = "required"
    schema: Schema | None = None
    n_features: int | None = None
    may_be_wider: bool = False
    targets: bool = False

    on_command_line: bool = False

    @property
    def has_targets(self) -> bool:
        """Return whether the label column contains targets, by the request or the schema."""
        return self.targets or (self.schema is not None and self.schema.has_targets)

    @property
    def header_options(self) -> str:
        """Return the options that say whether there is a header."""
        return "--header or --no-header" if self.on_command_line else "header=True or header=False"

    @property
    def no_header_option(self) -> str:
        """Return the option that says that there is no header."""
        return "--no-header" if self.on_command_line else "header=False"

    @property
    def no_labels_option(self) -> str:
        """Return the option that ignores the labels."""
        return "--no-labels" if self.on_command_line else "labels=False"

    @property
    def missing_advice(self) -> str:
        """Return the end of the message about a missing value."""
        if self.on_command_line:
            return "Fill in missing values, or remove their rows."
        return "Use softmargin.datasets.read(path, missing='drop') to drop such samples."


# The end of the message about text in a table for a model without a schema.
NO_CATEGORIES = "; the model was not trained on a table and has no categories"
