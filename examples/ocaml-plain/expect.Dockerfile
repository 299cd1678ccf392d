# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM ocaml/opam:debian-12-ocaml-5.2 AS build
USER root
RUN apt-get update && apt-get install -y --no-install-recommends libev-dev libgmp-dev libssl-dev pkg-config && rm -rf /var/lib/apt/lists/*
ENV OPAMROOT=/home/opam/.opam OPAMROOTISOK=1
WORKDIR /app
COPY . /app/
RUN opam install . --deps-only --yes
RUN opam exec -- dune build --release

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libev4 libgmp10 libssl3 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["./_build/default/src/clock.exe"]
