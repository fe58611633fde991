"""`bookbuilder tally …`: count archives into a store, and maintain stores."""
