import { describe, expect, it } from 'vitest';
import { detect } from '../index.ts';
import { memoryTree } from '../memory-tree.ts';

const look = (files: Record<string, string>) => detect(memoryTree({ Gemfile: '', ...files }));
const lock = (gems: Record<string, string>, bundler = '2.4.1') =>
  `GEM\n  specs:\n${Object.entries(gems)
    .map(([name, version]) => `    ${name} (${version})\n`)
    .join('')}\nBUNDLED WITH\n   ${bundler}\n`;
const rails = (version: string, files: Record<string, string> = {}, gems: Record<string, string> = {}) =>
  look({
    'config/application.rb': 'class A < Rails::Application',
    'Gemfile.lock': lock({ railties: version, activerecord: version, 'sprockets-rails': '3', ...gems }),
    ...files,
  });

describe('Rails', () => {
  it.each([
    ['4.2.11', '2.5', 'SECRET_KEY_BASE=${SECRET_KEY_BASE:-dummy} bundle exec rake', 'bundle exec rake db:migrate'],
    ['5.2.8', '2.7', 'SECRET_KEY_BASE=${SECRET_KEY_BASE:-dummy} bundle exec rails', 'bundle exec rails db:migrate'],
    ['6.1.7', '3.0', 'SECRET_KEY_BASE=${SECRET_KEY_BASE:-dummy} bundle exec rails', 'bundle exec rails db:prepare'],
    ['8.0.1', null, 'SECRET_KEY_BASE_DUMMY=1 bundle exec rails', 'bundle exec rails db:prepare'],
  ])('%s uses Ruby %s', async (version, languageVersion, build, releaseCommand) =>
    expect(await rails(version, { 'db/schema.rb': '', 'config/database.yml': '' })).toMatchObject({
      languageVersion,
      buildCommand: `RAILS_ENV=production ${build} assets:precompile`,
      releaseCommand,
    }),
  );

  it('without a database or assets needs neither command', async () => {
    const found = await look({
      'config/application.rb': 'Rails::Application',
      'Gemfile.lock': lock({ railties: '8.0.1', activerecord: '8.0.1' }),
    });
    expect(found).toMatchObject({ buildCommand: null, releaseCommand: null });
  });

  it('gets an address of a database in the build if the source has no database.yml', async () =>
    expect((await rails('8.0.1', {}, { pg: '1.5' })).buildCommand).toContain(
      'DATABASE_URL=${DATABASE_URL:-postgresql://localhost/build} bundle exec rails assets:precompile',
    ));

  it('installs the packages of Webpacker with an old Node.js, and has one at run time for ExecJS', async () => {
    const pkg = JSON.stringify({ dependencies: { '@rails/webpacker': '5.4.3' } });
    const lock = '"@rails/webpacker@5.4.3":\n  version "5.4.3"\n';
    const found = await rails('6.1.7', { 'package.json': pkg, 'yarn.lock': lock }, { execjs: '2.8' });
    expect(found).toMatchObject({ nodeVersion: '16', otherLanguages: ['javascript'], systemPackages: ['nodejs'] });
    expect(found.buildCommand).toMatch(/^yarn install --frozen-lockfile && RAILS_ENV=production /);
    expect((await rails('6.1.7', {}, { execjs: '2.8', mini_racer: '0.6' })).systemPackages).toEqual([]);
  });
});

describe('gems', () => {
  it.each([
    ['rmagick', ['imagemagick']],
    ['ruby-vips', ['libvips42']],
    ['wicked_pdf', ['wkhtmltopdf']],
    ['sqlite3', ['libsqlite3-0']],
  ])('of %s need %j', async (gem, systemPackages) => {
    const files = { 'config.ru': '', 'Gemfile.lock': lock({ [gem]: '1.0' }) };
    expect(await look(files)).toMatchObject({ systemPackages });
  });

  it('come with their own program', async () =>
    expect(
      (await look({ 'Gemfile.lock': lock({ wicked_pdf: '2', 'wkhtmltopdf-binary': '0.12' }) })).systemPackages,
    ).toEqual([]));

  it('of an old Bundler need an old Ruby', async () =>
    expect(await look({ 'config.ru': '', 'Gemfile.lock': lock({ sinatra: '2.0' }, '1.13.1') })).toMatchObject({
      packageManagerVersion: '1.17.3',
      languageVersion: '2.7',
      installCommand:
        'bundle config --local path vendor/bundle && bundle config --local without development:test && bundle install',
    }));
});

describe('a Procfile of a Ruby app', () => {
  it.each([
    ['puma -C config/puma.rb', 'bundle exec puma -C config/puma.rb'],
    ['RACK_ENV=production rackup -p $PORT', 'RACK_ENV=production bundle exec rackup -p $PORT'],
    ['bundle exec puma', 'bundle exec puma'],
    ['bin/rails server', 'bin/rails server'],
    ['railsomething', 'railsomething'],
  ])('%s runs %s', async (declared, start) =>
    expect((await look({ 'config.ru': '', Procfile: `web: ${declared}\n` })).startCommand).toBe(start),
  );
});

describe('a program under another name', () => {
  const sinatra = lock({ sinatra: '4' });
  it.each([
    ['is started if it is the only one', { 'myapp.rb': '', 'Gemfile.lock': sinatra }, /^bundle exec ruby myapp\.rb -o/],
    [
      'is a function',
      { 'app.rb': 'FunctionsFramework.http("hi")', Gemfile: 'gem "functions_framework"' },
      /--target hi/,
    ],
  ])('%s', async (_, files, start) => expect((await look(files)).startCommand).toMatch(start));
  it('is unknown among several', async () =>
    expect((await look({ 'a.rb': '', 'b.rb': '', 'Gemfile.lock': sinatra })).startCommand).toBeNull());
});
