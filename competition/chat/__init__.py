"""Language models behind OpenAI-compatible endpoints, for every track that asks them.

``model`` defines the protocol of chat models, ``endpoint`` is the client for real ones. Tracks use ``session``: it asks
a model through the ``cache``, within the limits of the ``accounts``, and retries requests lost by the network or the
server. The client needs the package ``openai`` (``pip install "vgdl[llm]"``); everything else works without it.
"""
