"""The pages of a site, as HTML: one module for each kind of visitor."""
