"""Language models behind OpenAI-compatible endpoints, for every track that asks them.

``model`` says what a chat model is, ``endpoint`` is the client of a real one. ``session`` is what tracks use: it asks a
model through the ``cache``, within the limits of the ``accounts``, and retries what the network or the server lost. The
client needs the package ``openai`` (``pip install "vgdl[llm]"``); everything else works without it.
"""
