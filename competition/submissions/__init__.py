"""Submitted controllers: a zip file is checked, queued and evaluated, and its sender can see the result.

``archive`` checks and unpacks zip files, ``queue`` keeps submissions in a store, ``evaluation`` evaluates a submission,
and ``commands`` contains ``vgdl-compete submit``, ``worker`` and ``submissions``.
"""
