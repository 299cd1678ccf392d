# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM ruby:3.4.2 AS build
COPY --from=node:22-slim /usr/local/bin/ /usr/local/bin/
COPY --from=node:22-slim /usr/local/lib/node_modules/ /usr/local/lib/node_modules/
ENV RAILS_ENV=production RACK_ENV=production BUNDLE_APP_CONFIG=/app/.bundle NPM_CONFIG_AUDIT=false NPM_CONFIG_FUND=false NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
COPY Gemfile /app/
RUN ["/bin/sh", "-c", "bundle config set --local path vendor/bundle && bundle config set --local without 'development test' && bundle install"]
COPY . /app/
RUN ["/bin/sh", "-c", "npm install && RAILS_ENV=production SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile"]
RUN rm -rf node_modules tmp/cache

FROM ruby:3.4.2-slim
ENV RAILS_ENV=production RACK_ENV=production BUNDLE_APP_CONFIG=/app/.bundle RAILS_LOG_TO_STDOUT=1
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 3000
CMD ["/bin/sh", "-c", "exec bundle exec rails server -b ${HOST:-0.0.0.0} -p ${PORT:-3000} -e ${RAILS_ENV:-production} -P /dev/shm/server.pid"]
