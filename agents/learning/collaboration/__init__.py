"""Collaborators that listen: trained to judge advice on its merits."""
