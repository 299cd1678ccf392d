# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM ruby:3.4 AS build
ENV RAILS_ENV=production RACK_ENV=production BUNDLE_APP_CONFIG=/app/.bundle
WORKDIR /app
COPY Gemfile /app/
RUN ["/bin/sh", "-c", "bundle config set --local path vendor/bundle && bundle config set --local without 'development test' && bundle install"]
COPY . /app/
RUN bundle exec middleman build

FROM scratch
COPY --from=build /app/build /site
