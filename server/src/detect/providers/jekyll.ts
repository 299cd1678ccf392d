import type { Provider } from '../detect.ts';
import { plainPath } from '../plain-names.ts';
import { bundleFiles, bundlerCommands, readGemfile, rubyVersion } from '../ruby/gemfile.ts';
import { yamlScalar } from '../yaml-outline.ts';

/** Ruby site generators. */
export const jekyll: Provider = {
  name: 'jekyll',
  looksFor: '_config.yml',
  async detect(tree) {
    const names = new Set(await tree.list(''));
    const gems = await readGemfile(tree);
    const config = (await tree.read('_config.yml')) ?? '';
    const isMiddleman = gems.has('middleman', 'middleman-cli');
    const isJekyll =
      gems.has('jekyll', 'github-pages') ||
      (names.has('_config.yml') && (names.has('_posts/') || names.has('_layouts/')));
    if (!isMiddleman && !isJekyll) return undefined;
    const hasGems = names.has('Gemfile');
    const [id, name, tool, usual] = isMiddleman
      ? ['middleman', 'Middleman', 'middleman build', 'build']
      : ['jekyll', 'Jekyll', 'jekyll build', '_site'];
    const output = (isMiddleman ? undefined : plainPath(yamlScalar(config, 'destination'))) ?? usual;
    const build = hasGems ? `bundle exec ${tool}` : tool;
    const version = await rubyVersion(tree);
    return {
      ...version,
      framework: id,
      language: 'ruby',
      ...(hasGems && bundlerCommands(gems)),
      installFiles: hasGems ? await bundleFiles(tree) : [],
      buildCommand: build,
      outputDirectory: output,
      reasons: [
        ...(version.reasons ?? []),
        `${isMiddleman || gems.has('jekyll') ? 'Gemfile' : '_config.yml'}: ${name}, built with \`${build}\`, served from ${output}`,
      ],
    };
  },
};
