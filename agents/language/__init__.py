"""Language models in seats: prompt, memory, extractor, backends, and the agent made of them."""
