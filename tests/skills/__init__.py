"""Tests of sharpen.skills, one module per module."""
