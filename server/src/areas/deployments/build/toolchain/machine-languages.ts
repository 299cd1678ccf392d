import { rangeAllows } from '../../../../detect/version-range.ts';
import {
  runMachineProgram,
  findProgram,
  missingPackages,
  systemPath,
  versionOf,
} from '../../../../drivers/toolchain/machine-programs.ts';
import { StepError } from '../../model/model.ts';
import type { RecipeNeeds, Recipe } from '../../model/recipe.ts';
import type { StepContext } from '../../model/step.ts';
import { programsIn } from './command-words.ts';

type Context = Pick<StepContext, 'log'> & { path: string };

/** Debian's packages of programs that commands of apps start. */
export const debianPackages: Record<string, string> = {
  ant: 'ant',
  bundle: 'ruby-bundler',
  cabal: 'cabal-install',
  cargo: 'cargo',
  clojure: 'clojure',
  cmake: 'cmake',
  cobc: 'gnucobol',
  composer: 'composer',
  cpanm: 'cpanminus',
  dune: 'ocaml-dune',
  elixir: 'elixir',
  erl: 'erlang',
  gcc: 'build-essential',
  gem: 'ruby',
  ghc: 'ghc',
  git: 'git',
  go: 'golang',
  gradle: 'gradle',
  hugo: 'hugo',
  java: 'default-jdk',
  javac: 'default-jdk',
  lein: 'leiningen',
  lua: 'lua5.4',
  luarocks: 'luarocks',
  make: 'make',
  meson: 'meson',
  mix: 'elixir',
  mvn: 'maven',
  nim: 'nim',
  nimble: 'nim',
  opam: 'opam',
  perl: 'perl',
  php: 'php-cli',
  pip3: 'python3-pip',
  pipenv: 'pipenv',
  poetry: 'python3-poetry',
  python3: 'python3',
  rebar3: 'rebar3',
  ruby: 'ruby-full',
  rustc: 'rustc',
  stack: 'haskell-stack',
};

type MachineLanguage = { title: string; program: string; args?: string[]; isMinimum?: boolean };

const java: MachineLanguage = { title: 'Java', program: 'java', args: ['-version'], isMinimum: true };

/** The main program of languages that are not downloaded. With `isMinimum`, newer versions do as well. */
const languages: Record<string, MachineLanguage> = {
  clojure: java,
  elixir: { title: 'Elixir', program: 'elixir', args: ['--short-version'] },
  go: { title: 'Go', program: 'go', args: ['version'], isMinimum: true },
  java,
  kotlin: java,
  perl: { title: 'Perl', program: 'perl', args: ['-e', 'printf "%vd", $^V'], isMinimum: true },
  php: { title: 'PHP', program: 'php' },
  python: { title: 'Python', program: 'python3' },
  ruby: { title: 'Ruby', program: 'ruby' },
  rust: { title: 'Rust', program: 'cargo', isMinimum: true },
  scala: java,
};

/** Logs the version of the machine's language, and names what is missing before a command fails. */
export async function checkMachine({ log, path }: Context, recipe: Recipe): Promise<void> {
  const { needs } = recipe;
  if (!needs) return;
  const language = languages[needs.language ?? ''];
  const where = `${path}:${systemPath}`;
  const programs = [...(language ? [language.program] : []), ...programsIn(recipe)];
  const missing = programs.find((each) => Object.hasOwn(debianPackages, each) && !findProgram(each, where));
  if (missing !== undefined) throw notInstalled(missing, debianPackages[missing]!);
  if (language) await tellVersion(log, language, findProgram(language.program, where)!, needs);
  if (/\bpython3 -m venv\b/.test(recipe.installCommand ?? '')) await requireVenv(findProgram('python3', where)!);
  const lacking = await missingPackages(needs.packages);
  if (lacking.length)
    log(
      `Packages of the app may need ${lacking.join(', ')}, which this machine lacks: apt-get install ${lacking.join(' ')}`,
      'warn',
    );
}

async function tellVersion(
  log: Context['log'],
  { title, args, isMinimum }: MachineLanguage,
  program: string,
  { languageRequest }: RecipeNeeds,
): Promise<void> {
  const version = await versionOf(program, args);
  const has = `${title} ${version ?? ''}`.trim();
  if (!languageRequest || version === undefined) return log(`${has} of this machine`);
  const { from, said, range } = languageRequest;
  if (rangeAllows(isMinimum && /^[\d.]+$/.test(range) ? `>=${range}` : range, version))
    return log(`${has} of this machine, as ${from} asks for (${said})`);
  log(`${has} of this machine; ${from} asks for ${said}. Only Docker brings other versions`, 'warn');
}

/** Debian has the part of Python that creates environments in a package of its own. */
async function requireVenv(python: string): Promise<void> {
  if (!(await runMachineProgram(python, ['-c', 'import ensurepip, venv'])).isDone)
    throw notInstalled('the module venv of Python', 'python3-venv');
}

const notInstalled = (program: string, name: string): StepError =>
  new StepError(
    'no_toolchain',
    `The app needs ${program}, which is not installed on this machine`,
    `Install it (\`apt-get install ${name}\` on Debian and Ubuntu) and deploy again, or install Docker: apps are then ` +
      'built in an image that has it.',
  );
