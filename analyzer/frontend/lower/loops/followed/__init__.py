"""Loops without a closed form that are known otherwise: between bounds, or by the steps of a real counter."""
