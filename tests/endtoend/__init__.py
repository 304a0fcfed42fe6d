"""Whole runs as a user makes them: the command line against a scripted model on loopback."""
