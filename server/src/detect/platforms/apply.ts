import type { DetectFinding } from '../detect.ts';
import { commandFindings, missingToolReason } from './build-commands.ts';
import { hasLanguage, type PlatformSettings, valueOf } from './settings.ts';
import { languageName, sourceVariables, versionFor } from './variables.ts';

const forSites = new Set(['vercel.json', 'netlify.toml']);

/** Adds the settings for other platforms to a finding; the first file with a value wins. */
export function withPlatforms(
  settings: readonly PlatformSettings[],
  found: DetectFinding | undefined,
): DetectFinding | undefined {
  if (!settings.length) return found;
  const { used, reasons: unused } = usedSettings(settings, found);
  const started = withStart(used, found);
  const commands = commandFindings(used, started);
  const { versions, port, ...variables } = sourceVariables(used);
  const version = versionFor(started?.language ?? null, [...used.map(versionsIn), versions]);
  const packages = used.flatMap((each) => each.packages ?? []);
  const foreign = used
    .flatMap((each) => each.foreign ?? [])
    .filter(({ language }) => started?.language && !hasLanguage(started, language))
    .map((each) => each.package);
  const added = [...new Set([...packages, ...foreign])];
  const listened = valueOf(used, 'port')?.value ?? port;
  const healthPath = valueOf(used, 'healthPath');
  const volumes = used.flatMap(({ file, volumes: said = [] }) =>
    said.flatMap(({ name, path }) => volumeOf(name, path, file)),
  );
  const finding: DetectFinding = {
    ...started,
    ...commands.finding,
    ...variables,
    ...(version && { languageVersion: version.version }),
    ...(listened && { port: listened }),
    ...(healthPath && { healthPath: healthPath.value }),
    ...(added.length && {
      systemPackages: [...(started?.systemPackages ?? []), ...added],
      buildPackages: [...(started?.buildPackages ?? []), ...added],
    }),
    ...(volumes.length && { volumes }),
  };
  return {
    ...finding,
    reasons: [
      ...(started?.reasons ?? []),
      ...commands.reasons,
      ...(version ? [`${version.file}: ${languageName(started?.language ?? '')} ${version.version}`] : []),
      ...(added.length ? [`${fileWith(used, 'packages')}: the packages ${added.join(', ')}`] : []),
      ...(healthPath ? [`${healthPath.file}: the health check requests ${healthPath.value}`] : []),
      ...(variables.defaults
        ? [
            `${fileWith(used, 'variables')}: sets ${variables.defaults.map(({ key }) => key).join(', ')}, unless the project does`,
          ]
        : []),
      ...(variables.generated
        ? [
            `${fileWith(used, 'generated')}: generated once, unless the project sets a value: ${variables.generated.map(({ key }) => key).join(', ')}`,
          ]
        : []),
      ...used.flatMap(remarks),
      ...unused,
    ],
  };
}

/** Programs that the platforms for sites run as well. */
const fullStack = /^(?:next|nuxt|sveltekit|remix|react-router|astro|tanstack-start|nitro|solid-start|redwood|gatsby)/;

/** Settings for a site often describe only the documentation or the frontend of a program. */
function usedSettings(
  settings: readonly PlatformSettings[],
  found: DetectFinding | undefined,
): { used: PlatformSettings[]; reasons: string[] } {
  const whole = settings.find(
    ({ file, start, build, outputDirectory, rootDirectory }) =>
      !rootDirectory && !forSites.has(file) && (start ?? outputDirectory ?? (build?.length ? '' : null)) !== null,
  );
  const isProgram = found?.startCommand && !fullStack.test(found.framework ?? '');
  const why = ({ file, rootDirectory }: PlatformSettings) => {
    if (rootDirectory) return `it describes the app in ${rootDirectory}; deploy that folder`;
    if (!forSites.has(file)) return undefined;
    return whole
      ? `${whole.file} describes the app`
      : isProgram
        ? 'it describes a site, and the app is a program'
        : undefined;
  };
  return {
    used: settings.filter((each) => !why(each)),
    reasons: settings.flatMap((each) => (why(each) ? [`${each.file}: not used, because ${why(each)}`] : [])),
  };
}

/** A declared start command overrides the detected one. */
function withStart(settings: readonly PlatformSettings[], found: DetectFinding | undefined): DetectFinding | undefined {
  const { adapt = (command: string) => command } = found ?? {};
  const isKnown = Boolean(found?.startCommand) || typeof found?.outputDirectory === 'string';
  const declared = valueOf(settings, 'start') ?? (isKnown ? undefined : valueOf(settings, 'other'));
  const isSite = typeof found?.outputDirectory === 'string' && siteServer.test(declared?.value ?? '');
  const unusable = declared && missingToolReason(declared.value, found);
  const start = declared && !isSite && !unusable ? adapt(declared.value) : null;
  const site = sitePlace(settings, found, start);
  // The provider's last reason is about starting, which the declared command replaces.
  const known = start && !found?.startCommand ? (found?.reasons ?? []).slice(0, -1) : (found?.reasons ?? []);
  const reasons = [
    ...known,
    ...(start ? [`${declared!.file}: started with \`${declared!.value}\``] : []),
    ...(isSite ? [`${declared!.file}: \`${declared!.value}\` is not needed, because Mooring serves the site`] : []),
    ...(unusable ? [`${declared.file}: \`${declared.value}\` is not used: ${unusable}`] : []),
    ...site.reasons,
  ];
  return {
    ...found,
    ...(start && {
      startCommand: start,
      startProgram: null,
      outputDirectory: null,
      fallback: null,
      port: found?.port ?? 3000,
    }),
    ...site.finding,
    reasons,
  };
}

/** Commands that serve the files of a built site. */
const siteServer =
  /^(?:exec )?(?:npx (?:-y |--yes )?)?(?:serve|http-server|vite preview)(?:@\S+)?(?:\s|$)|^(?:exec )?(?:caddy run|caddy file-server|nginx)\b/;

/** The folder of a site, unless the app needs a process. */
function sitePlace(settings: readonly PlatformSettings[], found: DetectFinding | undefined, start: string | null) {
  const folder = valueOf(settings, 'outputDirectory');
  const fallback = valueOf(settings, 'fallback');
  if (start || found?.startCommand)
    return folder
      ? {
          finding: {},
          reasons: [`${folder.file}: the folder ${folder.value || '.'} is not served, because the app is a program`],
        }
      : { finding: {}, reasons: [] };
  const isSite = folder !== undefined || typeof found?.outputDirectory === 'string';
  return {
    finding: {
      ...(folder && { outputDirectory: folder.value }),
      ...(fallback && isSite && { fallback: fallback.value }),
    },
    reasons: folder ? [`${folder.file}: a site in ${folder.value || 'the root folder'}`] : [],
  };
}

const fileWith = (settings: readonly PlatformSettings[], key: 'packages' | 'variables' | 'generated') =>
  settings
    .filter(({ [key]: said = [] }) => [...said].length)
    .map(({ file }) => file)
    .join(', ');

const versionsIn = ({ file, versions = {} }: PlatformSettings) => ({ file, versions });

/** Names what is not used, so that nobody has to find out. */
function remarks({ file, ignored = [], notes = [] }: PlatformSettings): string[] {
  const names = [...new Set(ignored)].map((name) => name.replaceAll(/[^\w .:/$*@+-]/g, '?').slice(0, 80));
  const shown = names.length > 12 ? [...names.slice(0, 12), `${names.length - 12} more`] : names;
  return [
    ...(shown.length ? [`${file}: ignored: ${shown.join(', ')}`] : []),
    ...notes.map((note) => `${file}: ${note}`),
  ];
}

/** Folders of the app are relative to it. */
function volumeOf(name: string, path: string, file: string) {
  const own = path.replace(/^\/app\//, '').replace(/\/+$/, '');
  const plain = name.replaceAll(/[^\w.-]/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  if (!/^\/?[\w.-]+(\/[\w.-]+)*$/.test(own) || own.split('/').includes('..')) return [];
  return [{ name: plain.slice(0, 60) || 'data', path: own, reason: `${file} keeps the files in ${own}` }];
}
