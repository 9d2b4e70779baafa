"""The studies' own server on a folder, in a process of its own: ``study_server.py FOLDER PORT``.

FOLDER holds ``study-file.yaml`` and its tables. The study is made where there is none yet, and the
personal links are printed as one line of JSON, ``{"R001": "/r/.../"}``, before the server starts.
It serves in this process alone: dozens of tests would wait for those of `attunement study serve`.
"""

import json
import sys
from pathlib import Path

from attunement.studies import folder as folders


def main(folder: Path, port: int) -> None:
    if not (folder / folders.SECRET).is_file():
        folders.create_folder(folder)
    folders.setup(folder)
    folders.migrate()
    from attunement.studies import links, server
    from attunement.studies.models import Participant, Study
    from attunement.studies.opening import make_study

    if not Study.objects.exists():
        make_study((folder / "study-file.yaml").read_text("utf-8"), folder)
    print(json.dumps({p.code: links.path(p) for p in Participant.objects.all()}), flush=True)
    server.serve_on({"host": "127.0.0.1", "port": port}, proxy=None, replies=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
