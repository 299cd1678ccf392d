# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM mcr.microsoft.com/dotnet/sdk:8.0 AS build
WORKDIR /app
COPY Shop.csproj /app/
RUN --mount=type=cache,id=example-nuget,target=/root/.nuget/packages dotnet restore Shop.csproj
COPY . /app/
RUN --mount=type=cache,id=example-nuget,target=/root/.nuget/packages dotnet publish Shop.csproj -c Release -o out --no-restore
RUN rm -rf bin obj

FROM mcr.microsoft.com/dotnet/aspnet:8.0
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["/bin/sh", "-c", "exec env ASPNETCORE_URLS=http://${HOST:-0.0.0.0}:${PORT:-8080} dotnet out/shop-server.dll"]
