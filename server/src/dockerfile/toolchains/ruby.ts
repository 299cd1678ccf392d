import type { Base, Toolchain } from '../dockerfile.ts';
import { tag } from '../instructions.ts';
import { withNode } from './with-node.ts';

export const rubyToolchain: Toolchain = {
  languages: ['ruby'],
  plan({ found, build, start, directory }) {
    const version = tag(found.languageVersion, '3.4');
    // The image sets another config folder; the settings that the install writes belong to the app.
    const environment = { RAILS_ENV: 'production', RACK_ENV: 'production', BUNDLE_APP_CONFIG: `${directory}/.bundle` };
    // Without a Gemfile only the generator is needed.
    const commands = found.packageManager ? [] : ['gem install jekyll'];
    const base: Base = { image: `ruby:${version}`, commands, environment };
    const hasAssets = found.otherLanguages.includes('javascript');
    return {
      build: hasAssets ? withNode(base, build) : base,
      run: { image: `ruby:${version}-slim`, environment: { ...environment, RAILS_LOG_TO_STDOUT: '1' } },
      // A stale pid file would prevent a restart; /dev/shm is empty after a restart of the container.
      ...(start?.startsWith('bundle exec rails server ') && { start: `${start} -P /dev/shm/server.pid` }),
      leftovers: hasAssets ? ['node_modules', 'tmp/cache'] : [],
    };
  },
};
