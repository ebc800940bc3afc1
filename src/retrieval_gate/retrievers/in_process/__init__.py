"""Retrievers that are Python objects in this very process: how they are found, called and waited for."""
