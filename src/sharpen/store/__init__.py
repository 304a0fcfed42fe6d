"""What a run has paid for, kept so that nothing is paid for twice.

`SqliteStore` keeps it in a run folder and survives a killed process; `MemoryStore` keeps it while the
process lives. Both are a `Store`. The readable files beside the database are projections, which `rebuild`
writes again.
"""

from sharpen.store.memory import MemoryStore
from sharpen.store.projections import rebuild, write_projections
from sharpen.store.records import (
    AttemptKey,
    AttemptRecord,
    Evaluation,
    Event,
    Proposal,
    ProposalKey,
    ProposalRecord,
    Store,
    Version,
    VersionStatus,
)
from sharpen.store.sqlite import SqliteStore

__all__ = [
    "AttemptKey",
    "AttemptRecord",
    "Evaluation",
    "Event",
    "MemoryStore",
    "Proposal",
    "ProposalKey",
    "ProposalRecord",
    "SqliteStore",
    "Store",
    "Version",
    "VersionStatus",
    "rebuild",
    "write_projections",
]
