"""The command ``vgdl-compete report``: a static web site of a results store.

The site needs no server and no network. Pages are Jinja2 templates (``pip install "vgdl[report]"``): a base layout with
navigation, light and dark colours, sortable tables and room for a phone, and macros for tables, charts and facts.

Each track writes its own pages; ``vgdl.competition.tracks.planning.pages`` has those of the planning track. To add
pages to a track:

1. Write its method ``pages(store, site, options)``. It reads the store, sets ``site.title`` and ``site.navigation``,
   and calls ``site.page(target, template, title=..., **data)`` for each page.
2. Put the templates into ``templates/<track>/`` of the package that its attribute ``templates`` names. A page begins
   with ``{% extends "base.html" %}`` and
   fills the block ``content``; it imports what it needs of ``macros/tables.html``, ``macros/charts.html`` and
   ``macros/facts.html`` ``with context``, and links to other pages with ``url("games/7.html")``, relative to the first
   page. Scripts and style sheets in ``static/`` are copied to ``assets/`` of the site.

Templates are rendered with autoescape and ``StrictUndefined``: names and tracebacks of competitors are data, and a
misspelled variable is an error. Users restyle a site with ``--templates DIR``: a template in that folder replaces the
one of the same name, and can extend it as ``vgdl/<name>``; files in its ``static/`` are copied over those of the site.
"""
