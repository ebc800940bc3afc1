"""What is said of supplied traces: their scores, what a repair changed, and the lesson."""
