import { describe, expect, it } from 'vitest';
import { type Detection, nothingDetected } from '../../detect/detect.ts';
import { generateDockerfile } from '../index.ts';

const make = (found: Partial<Detection>) =>
  generateDockerfile(
    { ...nothingDetected, installCommand: 'install', startCommand: 'start', ...found },
    {
      folder: '',
      installCommand: null,
      buildCommand: null,
      startCommand: null,
      outputDirectory: null,
      cacheScope: 'p1',
      variables: [],
      secrets: [],
    },
  )!;

describe('images of PHP', () => {
  const php = (languageVersion: string, extensions: string[], more: Partial<Detection> = {}) =>
    make({ language: 'php', packageManager: 'composer', languageVersion, extensions, ...more }).dockerfile;

  it('compile extensions once, with their libraries', () => {
    const dockerfile = php('8.3', ['gd', 'opcache', 'redis', 'xsl']);
    expect(dockerfile).toContain('FROM php:8.3-apache AS base');
    expect(dockerfile).toContain('libfreetype-dev libjpeg-dev libpng-dev libwebp-dev libxslt1-dev');
    expect(dockerfile).toContain(
      'docker-php-ext-configure gd --with-freetype --with-jpeg --with-webp && docker-php-ext-install -j"$(nproc)" gd xsl',
    );
    expect(dockerfile).toContain("RUN yes '' | pecl install redis && docker-php-ext-enable redis opcache");
    expect(dockerfile.match(/ext-install/g)).toHaveLength(1);
    expect(dockerfile).toMatch(/FROM base AS build\n[^]*\nFROM base\n/);
  });

  it('of old versions use old options, releases, names and package servers', () => {
    const dockerfile = php('7.1', ['gd', 'mcrypt', 'redis@5.3.7']);
    expect(dockerfile).toContain('(apt-get update || (sed -i');
    expect(dockerfile).toContain('libfreetype6-dev');
    expect(dockerfile).toContain('--with-freetype-dir=/usr');
    expect(dockerfile).toContain('ext-install -j"$(nproc)" gd mcrypt');
    expect(dockerfile).toContain('pecl install redis-5.3.7');
    expect(dockerfile).toContain('--from=composer:2.2 ');
  });

  it('answer all paths with the script of the app', () => {
    const started = (folder: string) => php('8.3', [], { startCommand: `php -S 0.0.0.0:80 -t ${folder}` });
    expect(started('web')).toContain("echo 'FallbackResource /index.php' >");
    expect(started('web web/app.php')).toMatch(
      /'FallbackResource \/app.php' > \S+ && echo 'DirectoryIndex app.php' >>/,
    );
    expect(started('web web/app.php')).toContain('s!/var/www/html!/var/www/html/web!');
  });

  it('choose the Composer and the Debian that work', () => {
    expect(php('7.4', [], { packageManagerVersion: '1' })).toContain('--from=composer:1 ');
    expect(php('8.3', ['imap'])).toContain('FROM php:8.3-apache-bookworm AS base');
    expect(php('8.4', ['imap'])).toContain(`pecl install -D 'with-kerberos="yes" with-imap-ssl="yes"' imap`);
  });

  it('install known extensions and releases only', () => {
    const dockerfile = php('8.3', ['evil', '__proto__', 'redis@1; id', 'gd']);
    expect(dockerfile).not.toMatch(/evil|proto|redis|id\n/);
    expect(dockerfile).toContain(' gd\n');
  });
});

describe('images of Hugo', () => {
  const hugo = (languageVersion: string | null) =>
    make({ language: 'markdown', packageManager: 'hugo', languageVersion, outputDirectory: 'public' }).dockerfile;

  it('have the version of the site, and need no history', () => {
    expect(hugo('0.120.4')).toContain('hugo_extended_0.120.4_linux-$(dpkg --print-architecture).tar.gz"');
    expect(hugo('0.92.2')).toContain('/v0.92.2/hugo_extended_0.92.2_Linux-64bit.tar.gz"');
    expect(hugo(null)).toContain('FROM ghcr.io/gohugoio/hugo:');
    for (const version of ['0.92.2', null]) expect(hugo(version)).toContain('ENV HUGO_ENABLEGITINFO=false');
  });
});

describe('images of Python', () => {
  it('of an exact version may need the archive of Debian', () => {
    const { dockerfile } = make({ language: 'python', languageVersion: '3.10.0', systemPackages: ['libpq5'] });
    expect(dockerfile).toContain('archive.debian.org');
  });

  it('build on the full one and run on the slim one', () => {
    const { dockerfile, images } = make({ language: 'python', languageVersion: '3.12' });
    expect(images).toEqual(['python:3.12', 'python:3.12-slim']);
    expect(dockerfile).not.toContain('archive.debian.org');
  });

  it('have what Debian 13 lacks, and the browser of Playwright', () => {
    const found = { language: 'python', languageVersion: '3.12', systemPackages: ['chromium', 'wkhtmltopdf'] };
    const { dockerfile, images } = make(found);
    expect(images).toEqual(['python:3.12-bookworm', 'python:3.12-slim-bookworm']);
    expect(dockerfile.match(/PLAYWRIGHT_BROWSERS_PATH=\/app\/\.playwright/g)).toHaveLength(2);
  });
});

describe('images of Ruby', () => {
  it('of old versions run on the full one, which has the libraries', () => {
    const { dockerfile, images } = make({
      language: 'ruby',
      packageManager: 'bundler',
      packageManagerVersion: '1.17.3',
      languageVersion: '2.6.3',
      systemPackages: ['libpq5', 'nodejs'],
    });
    expect(images).toEqual(['ruby:2.6.3', 'node:16-slim']);
    expect(dockerfile.match(/gem install bundler -v 1\.17\.3/g)).toHaveLength(2);
    expect(make({ language: 'ruby', packageManager: 'bundler', languageVersion: '2.6.6' }).dockerfile).toContain(
      'gem install bundler -v 2.3.27',
    );
    expect(dockerfile).toContain('COPY --from=node:16-slim /usr/local/bin/node /usr/local/bin/node');
    expect(dockerfile).not.toContain('apt-get');
  });
});

it('a WAR runs on Tomcat, on the port of the environment', () => {
  const dockerfile = make({ language: 'java', packageManager: 'maven', framework: 'jakarta-servlet' }).dockerfile;
  expect(dockerfile).toContain('FROM tomcat:10.1-jre21-temurin');
  expect(dockerfile).toContain(`sed -i 's/port="8080"/port="\${PORT}"/' /usr/local/tomcat/conf/server.xml`);
  expect(dockerfile).toContain('EnvironmentPropertySource');
});
