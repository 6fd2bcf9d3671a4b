"""Judgement by comparison: whom to ask about which pairs, and what the answers amount to.

Manuscripts judged by reviewers and outcomes judged by a respondent are the same study: choose pairs
(:mod:`.scheduling`), show them in both orders (:mod:`.eliciting`), keep answers, ties and refusals
(:mod:`.judgements`), fit a scale (:mod:`..ratings.scale`), and ask how far the answers can be
trusted (:mod:`.diagnostics`, :mod:`.reliability`).
"""
