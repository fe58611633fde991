"""`bookbuilder games …`: check, count, list, filter and convert the games of archives."""
