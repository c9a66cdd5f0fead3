"""Long runs of what the tests in Python try for seconds; ``make soak`` runs them all."""
