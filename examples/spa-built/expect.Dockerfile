# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM scratch
COPY dist /site
