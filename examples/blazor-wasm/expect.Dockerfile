# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM mcr.microsoft.com/dotnet/sdk:9.0 AS build
WORKDIR /app
COPY Site.csproj /app/
RUN --mount=type=cache,id=example-nuget,target=/root/.nuget/packages dotnet restore Site.csproj
COPY . /app/
RUN --mount=type=cache,id=example-nuget,target=/root/.nuget/packages dotnet publish Site.csproj -c Release -o out --no-restore

FROM scratch
COPY --from=build /app/out/wwwroot /site
