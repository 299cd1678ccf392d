# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM erlang:27 AS build
WORKDIR /app
COPY rebar.config /app/
RUN --mount=type=cache,id=example-rebar3,target=/root/.cache/rebar3 rebar3 get-deps
COPY . /app/
RUN --mount=type=cache,id=example-rebar3,target=/root/.cache/rebar3 rebar3 release

FROM erlang:27-slim
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["_build/default/rel/greeter/bin/greeter", "foreground"]
