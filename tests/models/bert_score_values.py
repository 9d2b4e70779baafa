"""Print what the package bert-score says of texts under the tiny models of `stubs.tiny_models`.

It is no dependency. Run in an environment of its own with bert-score 0.3.13, torch and transformers
4.57 (later releases have no slow tokenizers, which bert-score asks for), from the folder tests:

    PYTHONPATH=. python models/bert_score_values.py
"""

import json
import sys
import tempfile
from pathlib import Path

from stubs import tiny_models

PAIRS = [
    ("the cat sat on the mat", "the cat was on the mat"),
    ("i hear how hard this week has been", "you are sad and it is not fine today"),
    ("i am so happy.", "i am so happy."),
    ("it", "a day"),
    (" no one is sad ", "and you are"),
]
LAYER = 2


def main() -> None:
    from bert_score import BERTScorer

    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for make in (tiny_models.bert, tiny_models.roberta):
            path = make(Path(folder) / make.__name__)
            scorer = BERTScorer(model_type=str(path), num_layers=LAYER, device="cpu")
            answers, references = zip(*PAIRS, strict=True)
            # One pair at a time: beside longer texts it is padded, and what is padded has cosine 0
            scores = scorer.score(list(answers), list(references), batch_size=1)
            rows = zip(*scores, strict=True)
            found[make.__name__] = [[round(float(v), 6) for v in row] for row in rows]
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
