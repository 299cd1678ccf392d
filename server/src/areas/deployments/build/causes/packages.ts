import { deployAgainHint, type KnownCause } from './cause.ts';

const commitLock = `commit the file ${deployAgainHint}`;
const setVersion = (language: string, file: string) =>
  `Put the version that the app needs into ${file} of the source (${language} is taken from there) ${deployAgainHint}`;
const access =
  'Give the build access with a token: store it as a secret build variable (`mooring env set {slug} <NAME> --build-time`) and use it in the settings file of the package manager.';

/** Versions of languages, lock files and private dependencies. */
export const packageCauses: KnownCause[] = [
  // Versions
  [
    /Not compatible with your version of node\/npm: (\S{1,100})|The engine "node" is incompatible|ERR_PNPM_UNSUPPORTED_ENGINE|requires Node\.?js (?:version )?\S{0,30}\d|You are using Node\.js [\d.v]+\. For/i,
    'The source needs another version of Node.js.',
    setVersion('Node.js', '.nvmrc'),
  ],
  [
    /Your Ruby version is ([\d.p]+), but your Gemfile specified (\S{1,40})/,
    'The Gemfile asks for Ruby $2, and the build has Ruby $1.',
    setVersion('Ruby', '.ruby-version'),
  ],
  [
    /requires a different Python: (\S{1,30}) not in|Requires-Python (\S{1,30})|requires Python ['"]?[<>=~!]|python_requires|current Python version \(\S+\) is not (?:allowed|supported)/i,
    'The source needs another version of Python.',
    setVersion('Python', '.python-version'),
  ],
  [
    /requires php[- ](?:64bit )?(\S{1,30}).{0,60}(?:your php version|does not satisfy)|your php version \(([\d.]+)/i,
    'The source needs another version of PHP.',
    `Set "require": {"php": ...} of composer.json to the version that the app needs ${deployAgainHint}`,
  ],
  [
    /release version (\d+) not supported|invalid (?:target|source) release: ?(\d+)|Unsupported class file major version (\d+)|class file version (\d+)|requires? at least Java|Could not determine java version/i,
    'The source needs another version of Java.',
    setVersion('Java', '.java-version'),
  ],
  [/go\.mod requires go >= ?([\d.]+)/, 'go.mod asks for Go $1.', setVersion('Go', '.go-version')],
  [
    /requires rustc ([\d.]+)|feature `edition20\d\d` is required/,
    'The Rust version is too old.',
    setVersion('Rust', 'rust-toolchain'),
  ],
  [
    /A compatible \.NET SDK was not found|NETSDK1045/,
    'The source needs another version of the .NET SDK.',
    `Set the version in global.json, or TargetFramework of the project, ${deployAgainHint}`,
  ],
  // Lock files
  [
    /`npm ci` command can only install with an existing package-lock\.json/,
    'npm ci needs a package-lock.json, and the source has none.',
    `Run \`npm install\`, ${commitLock}`,
  ],
  [
    /`npm ci` can only install packages when your package\.json and package-lock\.json/,
    'package-lock.json does not match package.json.',
    `Run \`npm install\`, ${commitLock}`,
  ],
  [/ERR_PNPM_OUTDATED_LOCKFILE/, 'pnpm-lock.yaml does not match package.json.', `Run \`pnpm install\`, ${commitLock}`],
  [
    /Your lockfile needs to be updated|lockfile would have been modified by this install|YN0028/,
    'yarn.lock does not match package.json.',
    `Run \`yarn install\`, ${commitLock}`,
  ],
  [
    /lockfile had changes, but lockfile is frozen/,
    'The lock file of Bun does not match package.json.',
    `Run \`bun install\`, ${commitLock}`,
  ],
  [
    /pyproject\.toml changed significantly since poetry\.lock|poetry\.lock (?:is not up to date|does not exist)/,
    'poetry.lock does not match pyproject.toml.',
    `Run \`poetry lock\`, ${commitLock}`,
  ],
  [
    /uv\.lock.{0,40}needs to be updated|lockfile at `uv\.lock`/,
    'uv.lock does not match pyproject.toml.',
    `Run \`uv lock\`, ${commitLock}`,
  ],
  [/Pipfile\.lock \(\S+\) out of date/, 'Pipfile.lock does not match Pipfile.', `Run \`pipenv lock\`, ${commitLock}`],
  [
    /The dependencies in your gemfile changed|Your bundle only supports platforms|install after deployment mode/i,
    'Gemfile.lock does not match the Gemfile, or lacks the platform of the build.',
    `Run \`bundle install\` and \`bundle lock --add-platform x86_64-linux aarch64-linux\`, ${commitLock}`,
  ],
  [
    /the lock file is not up to date with the latest changes in composer\.json|lock file does not contain a compatible set of packages/,
    'composer.lock does not match composer.json.',
    `Run \`composer update --lock\`, ${commitLock}`,
  ],
  [
    /lock file .{0,200} needs to be updated but --locked was passed/,
    'Cargo.lock does not match Cargo.toml.',
    `Run \`cargo check\`, ${commitLock}`,
  ],
  [
    /missing go\.sum entry|updates to go\.mod needed/,
    'go.sum does not match go.mod.',
    `Run \`go mod tidy\`, commit go.mod and go.sum ${deployAgainHint}`,
  ],
  [
    /npm (?:ERR!|error) code ERESOLVE/,
    'The versions of the dependencies contradict each other.',
    `Fix the versions in package.json, or accept the conflict: add a file .npmrc with legacy-peer-deps=true, ${deployAgainHint}`,
  ],
  // Private dependencies
  [
    /(?:npm (?:ERR!|error) (?:code )?E?40[13]\b|npm (?:ERR!|error) code E404|ERR_PNPM_FETCH_40[134]|401 Unauthorized|403 Forbidden|HTTP 40[13]|status code 40[13]|returned error: 40[13])/,
    'A registry refused a dependency, or does not have it: it is private, or its name is wrong.',
    access,
  ],
  [
    /Permission denied \(publickey\)|Host key verification failed|terminal prompts disabled|could not read Username for|ls-remote .{0,40}ssh:\/\/|ssh:\/\/\S+ did not run successfully/i,
    'A dependency comes from a private repository, or over SSH, and the build has no key.',
    `Use its https address. ${access}`,
  ],
];
