"""Tests of sharpen.hook: the process that coding agents start after a tool call."""
