"""Conversations with a chatbot under test: what is said, who replies, and how it is written down.

`conversation` holds what a participant does, in requests; `worker` writes the replies outside of
them, with `prompt` and `endpoint`. The two meet in the database only.
"""
