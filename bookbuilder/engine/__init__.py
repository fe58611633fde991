"""The bundled engine, drivers of other engines, and their uses: matches, evaluations, checks, growth."""
