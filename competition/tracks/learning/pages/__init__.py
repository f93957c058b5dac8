"""The pages of the learning track."""
