"""Where agents learn: the arena drives a Method, logs, saves, measures, stops and goes on."""
