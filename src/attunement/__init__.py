"""Attunement measures how well a conversational model attunes to the person it talks to."""

from __future__ import annotations
