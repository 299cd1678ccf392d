SITENAME = "Notes"
PATH = "content"
