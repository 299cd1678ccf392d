import type { DetectFinding, Provider, SourceTree } from '../detect.ts';
import { plainName } from '../plain-names.ts';
import { bundleFiles, bundlerCommands, readGemfile, rubyVersion, type Gemfile } from '../ruby/gemfile.ts';
import { rubySystemLibraries } from '../ruby/libraries.ts';
import { railsTasks, type RailsTasks } from '../ruby/rails.ts';

type Recipe = { framework: string; name: string; tasks?: RailsTasks; start: string | null; port: number };

export const ruby: Provider = {
  name: 'ruby',
  looksFor: 'Gemfile',
  async detect(tree) {
    const names = new Set(await tree.list(''));
    if (!names.has('Gemfile')) return undefined;
    const gems = await readGemfile(tree);
    const { framework, name, tasks, start, port } = await findRecipe(tree, names, gems);
    const version = await rubyVersion(tree);
    const libraries = rubySystemLibraries(gems);
    const command = tasks?.build ?? null;
    const release = tasks?.release ?? null;
    const runsJavaScript = names.has('package.json') || (command && libraries.systemPackages.includes('nodejs'));
    return {
      ...version,
      framework,
      language: 'ruby',
      ...bundlerCommands(gems),
      installFiles: await bundleFiles(tree),
      buildCommand: command,
      startCommand: start,
      releaseCommand: release,
      port: start ? port : null,
      otherLanguages: runsJavaScript ? ['javascript'] : [],
      nodeVersion: tasks?.assets?.nodeVersion ?? null,
      ...libraries,
      reasons: [
        ...(version.reasons ?? []),
        ...(release ? [`db: before each release, \`${release}\``] : []),
        `Gemfile: ${name}${command ? `, built with \`${command}\`` : ''}, ${start ? `started with \`${start}\`` : 'but nothing to start: no config.ru, no app.rb, main.rb or server.rb, no other single file, no Rakefile'}`,
      ],
      adapt: inBundle,
    } satisfies DetectFinding;
  },
};

/** Programs of gems, which are not on the PATH. */
const ofGems =
  /^((?:[A-Z][A-Z0-9_]*=\S* )*)((?:rails|rake|rackup|puma|pumactl|unicorn|unicorn_rails|thin|falcon|passenger|sidekiq|resque|clockwork|good_job|que|shoryuken|sneakers|karafka|racecar|hanami|middleman|jekyll|foreman|ruby)(?: .*)?)$/;

const inBundle = (command: string) => command.replace(ofGems, '$1bundle exec $2');

async function findRecipe(tree: SourceTree, names: Set<string>, gems: Gemfile): Promise<Recipe> {
  const application = await tree.read('config/application.rb');
  if (application?.includes('Rails::Application') || (gems.has('rails') && names.has('bin/')))
    return {
      framework: 'rails',
      name: 'Rails',
      tasks: await railsTasks(tree, gems),
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
  const target = gems.has('functions_framework') && names.has('app.rb') ? await functionName(tree) : undefined;
  if (target)
    return {
      framework: 'functions-framework',
      name: 'Functions Framework',
      start: `bundle exec functions-framework-ruby --target ${target} --bind \${HOST:-0.0.0.0} --port \${PORT:-8080}`,
      port: 8080,
    };
  const file =
    ['app.rb', 'main.rb', 'server.rb', 'web.rb'].find((each) => names.has(each)) ??
    (framework === 'ruby' ? undefined : onlyProgram(names));
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

/** A single file beside the Gemfile, under any name. */
function onlyProgram(names: Set<string>): string | undefined {
  const files = [...names].filter((name) => name.endsWith('.rb'));
  return files.length === 1 ? plainName(files[0]) : undefined;
}

const functionName = async (tree: SourceTree) =>
  /^[ \t]*FunctionsFramework\.(?:http|typed|cloud_event)[ (]+["']([\w-]{1,80})["']/m.exec(
    (await tree.read('app.rb')) ?? '',
  )?.[1];

function rackServer(gems: Gemfile): string {
  if (gems.names.has('puma')) return 'bundle exec puma -b tcp://${HOST:-0.0.0.0}:${PORT:-9292}';
  if (gems.names.has('unicorn')) return 'bundle exec unicorn -o ${HOST:-0.0.0.0} -p ${PORT:-9292}';
  return 'bundle exec rackup -o ${HOST:-0.0.0.0} -p ${PORT:-9292}';
}
