"""What a caller asks of a file: where its labels are, and what is known of its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from softmargin._files.schema import Schema

LabelUse = Literal["required", "optional", "ignored"]


@dataclass(frozen=True)
class Request:
    """How to read a table or an ARFF file.

    ``drop`` skips samples with a missing value, which are refused otherwise. Labels are required,
    or read where there are some, or ignored. ``n_features`` is the number of columns of a model
    that has no schema: a table for it has numbers only, and no labels if it is no wider. A model of
    LIBSVM does not keep the last features if they are 0: it ``may_be_wider``. Options are named in
    errors as the caller knows them.
    """

    label_column: Any = None
    header: bool | None = None
    drop: bool = False
    labels: LabelUse = "required"
    schema: Schema | None = None
    n_features: int | None = None
    may_be_wider: bool = False

    on_command_line: bool = False

    @property
    def header_options(self) -> str:
        """Return how a caller says what the first line is."""
        return "--header or --no-header" if self.on_command_line else "header=True or header=False"

    @property
    def no_header_option(self) -> str:
        """Return how a caller says that there is no header."""
        return "--no-header" if self.on_command_line else "header=False"

    @property
    def no_labels_option(self) -> str:
        """Return how a caller says that labels do not count."""
        return "--no-labels" if self.on_command_line else "labels=False"


# What ends a sentence on text for a model without a schema.
NO_CATEGORIES = "; the model was not trained on a table, and knows no categories"
