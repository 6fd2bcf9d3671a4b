"""PettingZoo and Gymnasium views of our worlds, all derived from ``RuleWorld``."""
