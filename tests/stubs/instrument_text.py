"""The file of a small instrument: one question on a scale from 1 to 5."""

MINE = """\
id: mine
version: 1
title: {en: Mine}
description: {en: One question.}
unit: response
dimensions:
  - id: warm
    label: {en: Warm}
    wording: {en: "Is it warm?"}
    scale: {type: integer, min: 1, max: 5, better: higher}
source: {citation: me}
license: CC0-1.0
"""
