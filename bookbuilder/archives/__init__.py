"""Files of games: find them, filter their games, write them, and work on whole collections."""
