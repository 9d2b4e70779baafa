"""The four tables: items, responses, ratings and raters.

Everything downstream reads and writes these. Parquet keeps every type; CSV and JSONL carry nested
columns as JSON text. A polars or pandas frame is accepted wherever a table is.
"""

from attunement.tables.checking import Problem, check, require
from attunement.tables.conform import conform, empty, to_polars
from attunement.tables.files import (
    TableWriter,
    encode_nested,
    for_spreadsheet,
    iter_batches,
    read_frame,
    read_table,
    write_frame,
    write_table,
)
from attunement.tables.references import missing_references
from attunement.tables.replicates import of_first_replicate
from attunement.tables.schema import (
    CHOICES,
    KEYS,
    KINDS,
    RATER_KINDS,
    REFERENCE,
    REQUIRED,
    ROLES,
    SCHEMAS,
    STATUSES,
    UNITS,
    Kind,
)
from attunement.tables.turns import conversation, question

__all__ = [
    "CHOICES",
    "KEYS",
    "KINDS",
    "RATER_KINDS",
    "REFERENCE",
    "REQUIRED",
    "ROLES",
    "SCHEMAS",
    "STATUSES",
    "UNITS",
    "Kind",
    "Problem",
    "TableWriter",
    "check",
    "conform",
    "conversation",
    "empty",
    "encode_nested",
    "for_spreadsheet",
    "iter_batches",
    "missing_references",
    "of_first_replicate",
    "question",
    "read_frame",
    "read_table",
    "require",
    "to_polars",
    "write_frame",
    "write_table",
]
