import type { SourceTree } from '../detect.ts';
import { plainPath } from '../plain-names.ts';
import { isLanguage } from './settings.ts';

/** Commands of a platform, by the step that runs them here. */
export interface SplitCommands {
  /** Installs of a package manager, with their options. */
  installs: { manager: string; command: string; hasOptions: boolean }[];
  /** Migrations: a build has no database. */
  release: string[];
  /** Commands that would keep values of the build, such as a cache of the settings, or that start the app. */
  dropped: string[];
  rest: string[];
}

const options = '((?: --?[\\w-]+(?:=[\\w.:,/-]+)?)*)';
/** By language. */
const installs: [RegExp, string][] = [
  [
    /^(?:python3? -m )?pip3? install (?:-\S+ )*(?:pip|setuptools|wheel)(?: pip| setuptools| wheel)*(?: -\S+)*$/,
    'python',
  ],
  [
    /^(?:python3? -m )?pip3? install (?:-\S+ )*-r (?:\.\/)?requirements\.txt(?: --?(?:no-cache-dir|upgrade|U|q))*$/,
    'python',
  ],
  [new RegExp(`^(?:npm|pnpm|bun) (?:ci|install|i)${options}$`), 'javascript'],
  [new RegExp(`^yarn(?: install)?${options}$`), 'javascript'],
  [new RegExp(`^(?:(?:poetry|pipenv) install|uv sync)${options}$`), 'python'],
  [new RegExp(`^bundle install${options}$`), 'ruby'],
  [new RegExp(`^composer install${options}$`), 'php'],
  [new RegExp(`^mix deps\\.get${options}$`), 'elixir'],
  [new RegExp(`^go mod download${options}$`), 'go'],
  [new RegExp(`^cargo fetch${options}$`), 'rust'],
  [new RegExp(`^dotnet restore${options}$`), 'csharp'],
];
/** Options that the detected command has, or that leave out what the build needs. */
const usualOptions =
  /--?(?:frozen-lockfile|immutable|production|omit=dev|only=production|no-audit|no-fund|silent)(?= |$)/g;
const migration =
  /\b(?:manage\.py (?:migrate|createsuperuser|loaddata)|(?:rails|rake) db:\w+|alembic upgrade|flask db upgrade|prisma (?:migrate deploy|db push|db seed)|knex migrate|sequelize(?:-cli)? db:\w+|typeorm \S*migration:run|artisan migrate|ecto\.migrate|drizzle-kit (?:migrate|push)|(?:npm run|yarn|pnpm|pnpm run|bun run) (?:db:)?(?:migrate|migrations?|seed)\S*)/;
const leftOut =
  /^php artisan (?:(?:config|route|view|event):(?:cache|clear)|optimize|cache:clear)|\brails s(?:erver)?\b|\bmanage\.py runserver\b|^(?:npm|yarn|pnpm) (?:run )?start$/;

/** Splits `npm install && npx prisma migrate deploy && npm run build`. */
export function splitCommands(commands: readonly string[], language: string): SplitCommands {
  const split: SplitCommands = { installs: [], release: [], dropped: [], rest: [] };
  for (const part of commands.flatMap(partsOf)) {
    const [rule, owner] = installs.find(([pattern]) => pattern.test(part)) ?? [];
    // Packages of another language are installed in the build, such as those of assets.
    if (rule && owner && isLanguage(language, owner))
      split.installs.push({
        manager: part.split(' ', 1)[0]!,
        command: part,
        hasOptions: Boolean(rule.exec(part)?.[1]?.replaceAll(usualOptions, '').trim()),
      });
    else if (leftOut.test(part)) split.dropped.push(part);
    else if (migration.test(part)) split.release.push(part);
    else split.rest.push(part);
  }
  return split;
}

/** A command that changes its folder, or has more than simple commands, stays whole. */
function partsOf(command: string): string[] {
  if (/["'`|(){}<>\\]|(?:^|\s)(?:if|for|while|case|cd|export|set)\s/.test(command)) return [command];
  return command
    .split(/\s*(?:&&|;)\s*/)
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Lines of a script that are no commands, or have no effect outside of it. */
const skipped = /^(?:#|set [-+]|echo\b|$)/;

/**
 * Replaces a build script by its lines if it is a plain list of commands with a migration among them, which must not
 * run in the build.
 */
export async function withoutScripts(tree: SourceTree, commands: readonly string[]): Promise<string[]> {
  const lists = commands.map(async (command) => {
    const path = plainPath(/^(?:(?:ba)?sh )?(?:\.\/)?([\w./-]+\.sh)$/.exec(command)?.[1]);
    const text = path ? ((await tree.read(path)) ?? '').slice(0, 10_000) : '';
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    const found = lines.filter((line) => !skipped.test(line));
    const isPlain = found.every(
      (line) => line.length < 500 && !/["'`|(){}<>\\$=]|^(?:if|then|fi|for|do|done|case|cd|export)\b/.test(line),
    );
    return isPlain && found.some((line) => migration.test(line)) ? found : [command];
  });
  return (await Promise.all(lists)).flat();
}
