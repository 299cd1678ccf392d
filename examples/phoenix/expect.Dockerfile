# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM elixir:1.18.1 AS build
WORKDIR /app
COPY mix.exs /app/
RUN --mount=type=cache,id=example-mix-home,target=/root/.mix --mount=type=cache,id=example-hex,target=/root/.hex ["/bin/sh", "-c", "mix local.hex --force && mix local.rebar --force && mix deps.get --only prod"]
COPY . /app/
RUN --mount=type=cache,id=example-mix-home,target=/root/.mix --mount=type=cache,id=example-hex,target=/root/.hex ["/bin/sh", "-c", "export MIX_ENV=prod && mix deps.compile && mix assets.deploy && mix release --overwrite"]
RUN rm -rf deps _build/prod/lib

FROM elixir:1.18.1-slim
ENV LANG=C.UTF-8
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=4000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 4000
CMD ["/bin/sh", "-c", "exec env PHX_SERVER=true _build/prod/rel/shop/bin/shop start"]
