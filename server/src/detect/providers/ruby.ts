import { assetsOf } from '../assets.ts';
import type { DetectFinding, Provider, SourceTree } from '../detect.ts';
import { bundleFiles, bundleInstall, readGemfile, rubyVersion, type Gemfile } from '../ruby/gemfile.ts';

type Recipe = { framework: string; name: string; build?: string | undefined; start: string | null; port: number };

/** System libraries of gems. */
const libraries: Record<string, string[]> = { pg: ['libpq5'], mysql2: ['libmariadb3'], 'ruby-vips': ['libvips42'] };

export const ruby: Provider = {
  name: 'ruby',
  looksFor: 'Gemfile',
  async detect(tree) {
    const names = new Set(await tree.list(''));
    if (!names.has('Gemfile')) return undefined;
    const gems = await readGemfile(tree);
    const { framework, name, build, start, port } = await findRecipe(tree, names, gems);
    const version = await rubyVersion(tree);
    // Rails runs the asset scripts itself; they only have to be installed.
    const assets = framework === 'rails' && build ? await assetsOf(tree) : undefined;
    const command = [assets?.command.split(' && ')[0], build].filter(Boolean).join(' && ') || null;
    return {
      ...version,
      framework,
      language: 'ruby',
      packageManager: 'bundler',
      installCommand: bundleInstall,
      installFiles: await bundleFiles(tree),
      buildCommand: command,
      startCommand: start,
      port: start ? port : null,
      otherLanguages: names.has('package.json') ? ['javascript'] : [],
      systemPackages: Object.entries(libraries).flatMap(([gem, needed]) => (gems.has(gem) ? needed : [])),
      reasons: [
        ...(version.reasons ?? []),
        `Gemfile: ${name}${command ? `, built with \`${command}\`` : ''}, ${start ? `started with \`${start}\`` : 'but nothing to start: no config.ru, no app.rb, main.rb or server.rb, no Rakefile'}`,
      ],
    } satisfies DetectFinding;
  },
};

async function findRecipe(tree: SourceTree, names: Set<string>, gems: Gemfile): Promise<Recipe> {
  const application = await tree.read('config/application.rb');
  if (application?.includes('Rails::Application') || (gems.has('rails') && names.has('bin/')))
    return {
      framework: 'rails',
      name: 'Rails',
      // Rails requires a key to load; nothing is encrypted with it.
      build: gems.has('sprockets', 'sprockets-rails', 'propshaft')
        ? 'RAILS_ENV=production SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile'
        : undefined,
      start: 'bundle exec rails server -b ${HOST:-0.0.0.0} -p ${PORT:-3000} -e ${RAILS_ENV:-production}',
      port: 3000,
    };
  const [framework, name] = gems.has('sinatra')
    ? ['sinatra', 'Sinatra']
    : gems.has('hanami')
      ? ['hanami', 'Hanami']
      : gems.has('roda')
        ? ['roda', 'Roda']
        : ['ruby', 'Ruby'];
  if (names.has('config.ru'))
    return { framework: framework === 'ruby' ? 'rack' : framework, name, start: rackServer(gems), port: 9292 };
  const file = ['app.rb', 'main.rb', 'server.rb', 'web.rb'].find((each) => names.has(each));
  if (file) {
    // Sinatra takes its port as an option.
    const port = framework === 'sinatra' ? ' -o ${HOST:-0.0.0.0} -p ${PORT:-4567}' : '';
    return { framework, name, start: `bundle exec ruby ${file}${port}`, port: port ? 4567 : 3000 };
  }
  return {
    framework,
    name,
    start: names.has('Rakefile') && !gems.has('jekyll', 'middleman') ? 'bundle exec rake' : null,
    port: 3000,
  };
}

function rackServer(gems: Gemfile): string {
  if (gems.names.has('puma')) return 'bundle exec puma -b tcp://${HOST:-0.0.0.0}:${PORT:-9292}';
  if (gems.names.has('unicorn')) return 'bundle exec unicorn -o ${HOST:-0.0.0.0} -p ${PORT:-9292}';
  return 'bundle exec rackup -o ${HOST:-0.0.0.0} -p ${PORT:-9292}';
}
