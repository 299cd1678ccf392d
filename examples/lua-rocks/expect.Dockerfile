# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates gcc libc6-dev lua5.4 liblua5.4-dev luarocks unzip && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY . /app/
RUN luarocks install --lua-version 5.4 --tree lua_modules --deps-only greeter-1.0-1.rockspec

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates gcc libc6-dev lua5.4 liblua5.4-dev luarocks unzip && rm -rf /var/lib/apt/lists/*
ENV LUA_PATH="/app/lua_modules/share/lua/5.4/?.lua;/app/lua_modules/share/lua/5.4/?/init.lua;;" LUA_CPATH="/app/lua_modules/lib/lua/5.4/?.so;;"
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["lua", "app.lua"]
