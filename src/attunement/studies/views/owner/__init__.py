"""The owner's pages: in English, and for whoever has an account of the staff."""
