import { assetsOf, type Assets } from '../assets.ts';
import type { SourceTree } from '../detect.ts';
import { rangeAllows } from '../version-range.ts';
import type { Gemfile } from './gemfile.ts';

/** Commands of a Rails app. */
export interface RailsTasks {
  build: string | null;
  release: string | null;
  assets: Assets | undefined;
}

export async function railsTasks(tree: SourceTree, gems: Gemfile): Promise<RailsTasks> {
  const isAtLeast = (version: string) =>
    rangeAllows(`>=${version}`, gems.version('railties') ?? gems.version('rails') ?? '8', {});
  const task = isAtLeast('5.0') ? 'bundle exec rails' : 'bundle exec rake';
  const config = new Set(await tree.list('config'));
  const database = new Set(await tree.list('db'));
  const hasAssets = gems.has('sprockets', 'sprockets-rails', 'propshaft', 'webpacker', 'shakapacker', 'vite_rails');
  // Rails runs the asset scripts itself; they only have to be installed.
  const assets = hasAssets ? await assetsOf(tree, []) : undefined;
  // Rails requires a key to load; nothing is encrypted with it.
  const key = isAtLeast('7.1') ? 'SECRET_KEY_BASE_DUMMY=1' : 'SECRET_KEY_BASE=${SECRET_KEY_BASE:-dummy}';
  // Without the file it requires an address, to which nothing connects.
  const adapter = gems.has('mysql2') ? 'mysql2' : gems.has('pg') ? 'postgresql' : undefined;
  const address =
    adapter && !config.has('database.yml') ? `DATABASE_URL=\${DATABASE_URL:-${adapter}://localhost/build} ` : '';
  const precompile = `RAILS_ENV=production ${key} ${address}${task} assets:precompile`;
  const hasDatabase = gems.has('activerecord', 'rails') && (database.has('migrate/') || database.has('schema.rb'));
  return {
    build: hasAssets ? [assets?.install, precompile].filter(Boolean).join(' && ') : null,
    release: hasDatabase ? `${task} ${isAtLeast('6.0') ? 'db:prepare' : 'db:migrate'}` : null,
    assets,
  };
}
