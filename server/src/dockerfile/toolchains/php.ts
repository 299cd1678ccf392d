import type { Base, DockerApp, Toolchain } from '../dockerfile.ts';
import { tag } from '../instructions.ts';
import { withNode } from './with-node.ts';

// Extensions that most frameworks need and the image lacks.
const libraries = ['libicu-dev', 'libpq-dev', 'libzip-dev'];
const extensions = 'docker-php-ext-install -j"$(nproc)" bcmath intl opcache pdo_mysql pdo_pgsql zip';

const home = '/var/www/html';

export const phpToolchain: Toolchain = {
  languages: ['php'],
  plan(app) {
    const { found, build } = app;
    const image = `php:${tag(found.languageVersion, '8.4')}-apache`;
    const hasComposer = found.packageManager === 'composer';
    const common: Base = hasComposer ? { image, packages: libraries, commands: [extensions] } : { image };
    const composer: Base = {
      ...common,
      copies: [['composer:2', '/usr/bin/composer', '/usr/local/bin/composer']],
      packages: [...libraries, 'git', 'unzip'],
      environment: { COMPOSER_ALLOW_SUPERUSER: '1' },
    };
    const base = hasComposer ? composer : common;
    const hasAssets = found.otherLanguages.includes('javascript');
    return {
      build: hasAssets ? withNode(base, build) : base,
      run: { ...common, commands: [...(common.commands ?? []), serve(app)] },
      caches: { composer: '/root/.composer/cache' },
      leftovers: hasAssets ? ['node_modules'] : [],
      directory: home,
      start: 'apache2-foreground',
    };
  },
};

/** Configures Apache to serve the detected folder at `PORT`, without root. */
function serve({ found }: DockerApp): string {
  const folder =
    found.framework === 'laravel' ? 'public' : (/\s-t ([\w./-]+)$/.exec(found.startCommand ?? '')?.[1] ?? '');
  const root = folder ? ` -e 's!${home}!${home}/${folder}!'` : '';
  return [
    `sed -i 's!Listen 80$!Listen \${PORT}!' /etc/apache2/ports.conf`,
    `sed -i -e 's!:80>!:\${PORT}>!'${root} /etc/apache2/sites-available/000-default.conf`,
    'a2enmod rewrite',
  ].join(' && ');
}
