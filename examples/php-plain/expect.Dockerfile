# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM php:8.4-apache AS build
WORKDIR /app
COPY . /app/

FROM php:8.4-apache
RUN sed -i 's!Listen 80$!Listen ${PORT}!' /etc/apache2/ports.conf && sed -i -e 's!:80>!:${PORT}>!' /etc/apache2/sites-available/000-default.conf && a2enmod rewrite
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8000
COPY --from=build --chown=10001:10001 /app /var/www/html
WORKDIR /var/www/html
USER 10001:10001
EXPOSE 8000
CMD ["apache2-foreground"]
