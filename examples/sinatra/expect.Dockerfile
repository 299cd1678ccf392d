# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM ruby:3.3.6 AS build
ENV RAILS_ENV=production RACK_ENV=production BUNDLE_APP_CONFIG=/app/.bundle
WORKDIR /app
COPY Gemfile .ruby-version /app/
RUN ["/bin/sh", "-c", "bundle config set --local path vendor/bundle && bundle config set --local without 'development test' && bundle install"]
COPY . /app/

FROM ruby:3.3.6-slim
ENV RAILS_ENV=production RACK_ENV=production BUNDLE_APP_CONFIG=/app/.bundle RAILS_LOG_TO_STDOUT=1
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=9292
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 9292
CMD ["/bin/sh", "-c", "exec bundle exec puma -b tcp://${HOST:-0.0.0.0}:${PORT:-9292}"]
