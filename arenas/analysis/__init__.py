"""Studies of agents: standard experiments that any agent can be put through.

A study seats an agent in worlds chosen for the purpose, beside partners chosen for the purpose, and
says from the stored matches what the agent is like. Behavioural game theory does so with people
(Camerer, Behavioral Game Theory, 2003); here it is done with anything that answers a turn.
"""
