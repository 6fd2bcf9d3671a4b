"""Small networks that learn, token by token, to reason about state in words and to act."""
