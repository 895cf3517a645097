"""What a chapter runs and a reader may run longer: measurements, small trainings, timings.

Needs the `book` extra. The library below never imports it.
"""
