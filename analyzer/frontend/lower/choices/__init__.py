"""Pointers to one of several objects: tables of their arrays, and statements lowered for each of them."""
