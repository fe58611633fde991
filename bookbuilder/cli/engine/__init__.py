"""`bookbuilder engine …`: search, play, test and serve the bundled engine."""
