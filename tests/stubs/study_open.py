"""Open a stage of the study in a folder, in its own process: ``study_open.py FOLDER STAGE``."""

import sys
from pathlib import Path

from attunement.studies import folder as folders


def main(folder: Path, key: str) -> None:
    folders.setup(folder)
    from attunement.studies.models import Stage
    from attunement.studies.opening import open_stage

    open_stage(Stage.objects.get(key=key), by="owner")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
