import type { DetectFinding } from '../detect.ts';
import { splitCommands } from './commands.ts';
import { hasLanguage, isLanguage, type PlatformSettings, valueOf } from './settings.ts';

/** Install, build and release commands of the settings. The detected install stays, because it is cached. */
export function commandFindings(
  settings: readonly PlatformSettings[],
  found: DetectFinding | undefined,
): { finding: DetectFinding; reasons: string[] } {
  const reasons: string[] = [];
  const install = said(settings, 'install', found?.installCommand, found, reasons);
  const build = said(settings, 'build', found?.buildCommand, found, reasons);
  const before = splitCommands(install?.commands ?? [], found?.language ?? '');
  const after = splitCommands(build?.commands ?? [], found?.language ?? '');
  const own = [...before.installs, ...after.installs].find(
    ({ manager, hasOptions }) => hasOptions && manager === found?.packageManager,
  );
  const installs = [own?.command ?? found?.installCommand ?? null, ...before.rest].filter((each) => each !== null);
  const isOtherInstall = Boolean(own ?? before.rest.length);
  const declared = valueOf(settings, 'release');
  const migrations = [...before.release, ...after.release];
  const { adapt = (command: string) => command } = found ?? {};
  const released = declared?.value ?? (migrations.length ? migrations.join(' && ') : null);
  const release = released === null ? null : adapt(released);
  // Programs of npm packages are on the PATH of other platforms.
  const adaptBuild = (command: string) =>
    (isLanguage(found?.language ?? '', 'javascript') && adapt(command)) || command;
  const builds = after.rest.filter((command) => command !== '');
  if (isOtherInstall) reasons.push(`${(install ?? build)!.file}: installed with \`${installs.join(' && ')}\``);
  if (builds.length) reasons.push(`${build!.file}: built with \`${builds.join(' && ')}\``);
  if (release && declared) reasons.push(`${declared.file}: before each release, \`${declared.value}\``);
  else if (release)
    reasons.push(
      `${(build ?? install)!.file}: \`${released}\` runs before each release, because builds have no database`,
    );
  for (const command of [...before.dropped, ...after.dropped])
    reasons.push(`${(build ?? install)!.file}: \`${command}\` is left out of the build`);
  return {
    finding: {
      ...(isOtherInstall && { installCommand: installs.join(' && ') }),
      ...(before.rest.length && { installFiles: [] }),
      ...(builds.length && {
        buildCommand: adaptBuild([...settingsOf(found?.buildCommand), ...builds].join(' && ')),
      }),
      ...(release && { releaseCommand: release }),
    },
    reasons,
  };
}

/** Variables that the detected command sets, such as a placeholder for a secret key. */
const settingsOf = (detected: string | null | undefined): string[] => {
  const [, variables] = /^((?:[A-Z_]+=[\w.-]+ )+)/.exec(detected ?? '') ?? [];
  return variables ? [`export ${variables.trim()}`] : [];
};

/** Commands of the first file that has any; `...` is the detected one. Commands that cannot run are named. */
function said(
  settings: readonly PlatformSettings[],
  step: 'install' | 'build',
  detected: string | null | undefined,
  found: DetectFinding | undefined,
  reasons: string[],
): { file: string; commands: string[] } | undefined {
  const first = settings.find((each) => each[step]?.length);
  if (!first) return undefined;
  const commands = first[step]!.flatMap((command) => (command === '...' ? (detected ?? []) : command));
  const unusable = commands.map((command) => missingToolReason(command, found)).find(Boolean);
  if (!unusable) return { file: first.file, commands };
  reasons.push(`${first.file}: \`${commands.join(' && ')}\` is not used: ${unusable}`);
  return undefined;
}

/** Programs that only the image of a language has. */
const tools: [RegExp, string, string][] = [
  [/^(?:npm|npx|yarn|pnpm|node)$/, 'javascript', 'Node.js'],
  [/^(?:bun|bunx)$/, 'javascript', 'Bun'],
  [/^(?:pip3?|poetry|pipenv|uv|gunicorn|uvicorn)$/, 'python', 'Python'],
  [/^(?:bundle|rails|rake|gem)$/, 'ruby', 'Ruby'],
  [/^(?:composer|php)$/, 'php', 'PHP'],
  [/^go$/, 'go', 'Go'],
  [/^cargo$/, 'rust', 'Rust'],
  [/^(?:mvn|gradle|java)$/, 'java', 'Java'],
  [/^mix$/, 'elixir', 'Elixir'],
  [/^dotnet$/, 'csharp', '.NET'],
  [/^(?:docker|docker-compose)$/, 'docker', 'Docker'],
];

/** Why a command cannot run in the image of the app. */
export function missingToolReason(command: string, found: DetectFinding | undefined): string | undefined {
  const words = command
    .split(/\s*(?:&&|\|\||;)\s*/)
    .map((part) => part.replace(/^(?:\w+=\S+ )+/, '').split(/\s/, 1)[0]!);
  // Without a language, the commands are all there is.
  const has = (needed: string) => (found?.language ? hasLanguage(found, needed) : needed !== 'docker');
  const lacking = words.flatMap((word) => tools.filter(([name, needed]) => name.test(word) && !has(needed)))[0];
  return lacking && `the image for this app has no ${lacking[2]}`;
}
