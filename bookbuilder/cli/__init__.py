"""The command line: one file per command group; `app` is the root of all commands.

Answers go to stdout, notes and progress to stderr. Exit codes: 0 done, 1 a check failed or the result is
empty, 2 usage, 3 input unreadable, 4 output exists, 130 interrupted, 141 the reader of stdout has
gone, 143 terminated.
"""
