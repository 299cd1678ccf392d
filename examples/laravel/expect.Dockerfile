# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM php:8.4-apache AS build
COPY --from=node:22-slim /usr/local/bin/ /usr/local/bin/
COPY --from=node:22-slim /usr/local/lib/node_modules/ /usr/local/lib/node_modules/
COPY --from=composer:2 /usr/bin/composer /usr/local/bin/composer
RUN apt-get update && apt-get install -y --no-install-recommends libicu-dev libpq-dev libzip-dev git unzip && rm -rf /var/lib/apt/lists/*
RUN docker-php-ext-install -j"$(nproc)" bcmath intl opcache pdo_mysql pdo_pgsql zip
ENV COMPOSER_ALLOW_SUPERUSER=1 NPM_CONFIG_AUDIT=false NPM_CONFIG_FUND=false NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
COPY . /app/
RUN --mount=type=cache,id=example-composer,target=/root/.composer/cache composer install --no-dev --no-interaction --optimize-autoloader
RUN --mount=type=cache,id=example-composer,target=/root/.composer/cache ["/bin/sh", "-c", "npm install && npm run build"]
RUN rm -rf node_modules

FROM php:8.4-apache
RUN apt-get update && apt-get install -y --no-install-recommends libicu-dev libpq-dev libzip-dev && rm -rf /var/lib/apt/lists/*
RUN docker-php-ext-install -j"$(nproc)" bcmath intl opcache pdo_mysql pdo_pgsql zip
RUN sed -i 's!Listen 80$!Listen ${PORT}!' /etc/apache2/ports.conf && sed -i -e 's!:80>!:${PORT}>!' -e 's!/var/www/html!/var/www/html/public!' /etc/apache2/sites-available/000-default.conf && a2enmod rewrite
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8000
COPY --from=build --chown=10001:10001 /app /var/www/html
WORKDIR /var/www/html
USER 10001:10001
EXPOSE 8000
CMD ["apache2-foreground"]
