"""Tests of sharpen.install, one module per module."""
