"""Fine-tuning of language models by what they said in matches: the suite's one module for it."""
