"""Print the perplexity of sentences as llama.cpp itself gives it, of the embedded model's file.

One call for each token, with the probabilities of all 262,144: some minutes. The server is that
of the extra ``local``; it calculates with the weights as they are packed, so that its numbers and
those of the unpacked weights agree to some percent.

    python tests/models/llama_perplexity.py
"""

import json
import math
import sys
from typing import Any
from urllib.request import Request, urlopen

from attunement.models.local import local_server

TEXTS = (
    "Thank you for telling me how you have been feeling this week.",
    "The children played in the garden until it was time for dinner.",
    "garden until dinner in it children time the for was played The.",
)
VOCABULARY = 262_144


def main() -> None:
    with local_server() as server:
        address = server.base_url.removesuffix("/v1")

        def post(path: str, **body: Any) -> Any:
            headers = {"Content-Type": "application/json"}
            request = Request(address + path, json.dumps(body).encode(), headers)
            with urlopen(request, timeout=300) as answer:
                return json.load(answer)

        for text in TEXTS:
            ids = post("/tokenize", content=text, add_special=True)["tokens"]
            nats = 0.0
            for known in range(1, len(ids)):
                found = post(
                    "/completion",
                    prompt=ids[:known],
                    n_predict=1,
                    n_probs=VOCABULARY,
                    temperature=1.0,
                    repeat_penalty=1.0,
                )
                every = found["completion_probabilities"][0]["top_logprobs"]
                nats -= next(t["logprob"] for t in every if t["id"] == ids[known])
            predicted = len(ids) - 1
            sys.stdout.write(f"{math.exp(nats / predicted):.2f} {predicted} {text}\n")


if __name__ == "__main__":
    main()
