"""Figures as inline SVG for web pages, written without a drawing library."""
