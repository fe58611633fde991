"""The book file: write, read, edit, merge, compare and verify it, and convert it to other formats."""
