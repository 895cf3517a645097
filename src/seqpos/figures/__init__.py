"""The book's figures: matplotlib drawings, one look, one colour for each door.

Needs the `book` extra. A function draws what it is given and returns the figure, so that a test can read
the drawn data back; it computes no formula of its own.
"""
