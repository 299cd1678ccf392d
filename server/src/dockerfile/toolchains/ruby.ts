import type { BaseStage, Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import { atLeast } from './debian.ts';
import { nodeFor, withNode } from './with-node.ts';

/** Libraries of gems that the full image has. */
const inFullImage = ['imagemagick', 'libcurl4', 'libicu-dev', 'libmariadb3', 'libpq5', 'libsqlite3-0'];

export const rubyToolchain: Toolchain = {
  languages: ['ruby'],
  plan({ found, build, start, directory }) {
    const version = versionTag(found.languageVersion, '3.4');
    // Images of old versions have an old Debian, whose packages are hard to get: the full one has the libraries.
    const isOld = !atLeast(version, '3.0');
    // Debian 13 has no wkhtmltopdf.
    const suite = found.systemPackages.includes('wkhtmltopdf') && !isOld ? '-bookworm' : '';
    const image = `ruby:${version}${suite}`;
    // The image sets another config folder; the settings that the install writes belong to the app.
    const environment = { RAILS_ENV: 'production', RACK_ENV: 'production', BUNDLE_APP_CONFIG: `${directory}/.bundle` };
    // Old versions of RubyGems insist on the major version of Bundler in the lock file; until Ruby 2.7 the image has
    // version 1 only. Without a Gemfile only the generator is needed.
    const lacks = isOld && found.packageManager && (found.packageManagerVersion !== null || !atLeast(version, '2.7'));
    const bundler = lacks ? versionTag(found.packageManagerVersion, '2.3.27') : null;
    const commands = [
      ...(found.packageManager ? [] : ['gem install jekyll']),
      ...(bundler ? [`gem install bundler -v ${bundler}`] : []),
    ];
    // An exact version is an image of its time.
    const isArchived = isOld || /^\d+\.\d+\.\d/.test(version);
    const base: BaseStage = { image, isArchived, commands, environment };
    // Newer versions need a newer C library.
    const node = isOld ? (found.nodeVersion ?? '16') : found.nodeVersion;
    const hasAssets = found.otherLanguages.includes('javascript');
    const runsJavaScript = found.systemPackages.includes('nodejs');
    return {
      build: hasAssets ? withNode(base, build, node) : base,
      run: {
        ...base,
        image: isOld ? image : `ruby:${version}-slim${suite}`,
        commands: bundler ? [`gem install bundler -v ${bundler}`] : [],
        ...(runsJavaScript && { copies: [[nodeFor(node), '/usr/local/bin/node', '/usr/local/bin/node']] }),
        has: [...(runsJavaScript ? ['nodejs'] : []), ...(isOld ? inFullImage : [])],
        environment: { ...environment, RAILS_LOG_TO_STDOUT: '1', RAILS_SERVE_STATIC_FILES: '1' },
      },
      // A stale pid file would prevent a restart; /dev/shm is empty after a restart of the container.
      ...(start?.startsWith('bundle exec rails server ') && { start: `${start} -P /dev/shm/server.pid` }),
      leftovers: hasAssets ? ['node_modules', 'tmp/cache'] : [],
    };
  },
};
