"""Social dilemmas: games in which what is best for each is not best for all."""
