"""Submitted controllers: a zip is checked, waits in a queue, is evaluated, and its sender can see the result.

``archive`` checks and unpacks a zip, ``queue`` keeps the submissions in a store, ``evaluation`` plays one, ``commands``
holds ``vgdl-compete submit``, ``worker`` and ``submissions``.
"""
