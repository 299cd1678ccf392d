import { posix } from 'node:path';
import type { DetectFinding, EnclosingSource, Provider, SourceTree } from '../detect.ts';
import { findFiles } from '../find-files.ts';
import { readJson } from '../json.ts';
import { languageVersion, toolVersions } from '../language-version.ts';
import { nearestAbove } from '../folders-above.ts';
import { plainName, plainPath } from '../plain-names.ts';
import { childRecord, textOrNull } from '../records.ts';
import type { VersionLine } from '../version-range.ts';
import { elementText, withoutXmlComments } from '../xml-outline.ts';

const line: VersionLine = { language: '.NET', known: ['10.0', '9.0', '8.0', '7.0', '6.0'], preferred: '9.0' };

type Project = { path: string; xml: string; sdk: string; assembly: string; hasPages: boolean };

/** Folders of a project for people; without them, it is an API behind one. */
const pages = new Set(['wwwroot/', 'Views/', 'Pages/', 'Components/']);

export const dotnet: Provider = {
  name: 'dotnet',
  looksFor: '.csproj',
  async detect(tree, _, outer) {
    const [project, ...others] = await findProjects(tree);
    if (!project) return await published(tree);
    const { path, xml, sdk, assembly } = project;
    const isBrowser = sdk.endsWith('BlazorWebAssembly');
    const isWeb = sdk.endsWith('.Web');
    const isProgram = isWeb || isBrowser || sdk.endsWith('.Worker') || /<OutputType>\s*(Win)?Exe/i.test(xml);
    const [global, ...shared] = await Promise.all(sharedFiles.map((file) => nearest(tree, outer, file)));
    const targets = [xml, ...shared.map((each) => each?.text ?? '')].map(targetsIn).find(Boolean) ?? [];
    const target = targets.toSorted((one, other) => Number(other) - Number(one))[0];
    const sdkSettings = childRecord(global && (await readJson(global.tree, 'global.json')), 'sdk');
    const sdkVersion = /^\d+\.\d+/.exec(textOrNull(sdkSettings['version']) ?? '')?.[0];
    // The image has the newest SDK of a version, which an exact version in global.json refuses.
    const isPinned =
      sdkVersion !== undefined && !/feature|minor|major/i.test(textOrNull(sdkSettings['rollForward']) ?? '');
    const prepare = isPinned ? `rm -f ${posix.join(global?.up ?? '', 'global.json')} && ` : '';
    const build = `${prepare}dotnet publish ${path} -c Release -o out --no-restore${targets.length > 1 ? ` -f net${target}` : ''}`;
    const start =
      isProgram && !isBrowser
        ? `${isWeb ? 'ASPNETCORE_URLS=http://${HOST:-0.0.0.0}:${PORT:-8080} ' : ''}dotnet out/${assembly}.dll`
        : null;
    const version = languageVersion(line, [
      { wanted: target, from: path },
      { wanted: sdkVersion, from: 'global.json' },
      ...(await toolVersions(tree, 'dotnet', 'dotnet-core')),
    ]);
    const workspace = workspaceOf(project, outer, [global, ...shared]);
    const what = isBrowser
      ? 'Blazor WebAssembly'
      : isWeb
        ? /Blazor|Components/.test(xml)
          ? 'Blazor'
          : 'ASP.NET Core'
        : '.NET';
    return {
      ...version,
      ...workspace,
      framework: isBrowser ? 'blazor' : isWeb ? 'aspnet' : 'dotnet',
      language: path.endsWith('.fsproj') ? 'fsharp' : path.endsWith('.vbproj') ? 'vb' : 'csharp',
      packageManager: 'nuget',
      // Heroku publishes to another folder.
      adapt: (command) => (start && /\bbin\/publish\b/.test(command) ? start : command),
      // The SDK that builds it may be newer than the runtime.
      packageManagerVersion: sdkVersion && target && Number(sdkVersion) > Number(target) ? sdkVersion : null,
      installCommand: `${prepare}dotnet restore ${path}`,
      installFiles: workspace.workspaceDirectory === undefined ? await restoreFiles(tree, path, xml) : [],
      buildCommand: build,
      startCommand: start,
      outputDirectory: isBrowser ? 'out/wwwroot' : null,
      fallback: isBrowser ? 'index.html' : null,
      port: start ? 8080 : null,
      reasons: [
        ...(version.reasons ?? []),
        ...(isPinned
          ? [`global.json: its exact SDK version is replaced by the newest SDK ${sdkVersion} of the image`]
          : []),
        `${path}: ${what}, built with \`${build}\`, ${start ? `started with \`${start}\`` : isBrowser ? 'served from out/wwwroot' : 'but it is a library'}`,
        ...(isWeb ? otherSites(others) : []),
      ],
    } satisfies DetectFinding;
  },
};

/** Files for all projects below their folder: the SDK, and common properties such as the versions of packages. */
const sharedFiles = ['global.json', 'Directory.Build.props', 'Directory.Packages.props'];

type Shared = { tree: SourceTree; text: string; folder?: string; up?: string };

/** Returns a file of the app's folder, else of the nearest one above. */
async function nearest(
  tree: SourceTree,
  outer: EnclosingSource | undefined,
  file: string,
): Promise<Shared | undefined> {
  const text = await tree.read(file);
  if (text !== undefined) return { tree, text };
  const above = await nearestAbove(outer, file);
  return above && { ...above, up: posix.relative(outer!.folder, above.folder) };
}

/** References may lead to projects beside the folder of the app, and shared files are above it: the build needs them. */
function workspaceOf(
  project: Project,
  outer: EnclosingSource | undefined,
  shared: (Shared | undefined)[],
): DetectFinding {
  const folders = [folderOfReferences(project, outer), ...shared.map((each) => each?.folder)];
  // All of them contain the app, so the shortest contains the others.
  const [outermost] = folders.filter((each) => each !== undefined).toSorted((a, b) => a.length - b.length);
  return outermost === undefined ? {} : { workspaceDirectory: outermost };
}

function folderOfReferences({ path, xml }: Project, outer: EnclosingSource | undefined): string | undefined {
  const references = [...xml.matchAll(/<ProjectReference\s{1,20}Include="([^"\n]{1,300})"/g)].map(([, to]) =>
    posix.join(outer?.folder ?? '', posix.dirname(path), to!.replaceAll('\\', '/')),
  );
  const outside = references.filter(
    (to) => outer?.folder && !to.startsWith(`${outer.folder}/`) && !to.startsWith('../'),
  );
  if (!outside.length) return undefined;
  const parts = outer!.folder.split('/');
  const isShared = (_: string, i: number) =>
    outside.every((to) => to.startsWith(`${parts.slice(0, i + 1).join('/')}/`));
  return parts.filter(isShared).join('/');
}

/** Versions of .NET that a project targets: `net8.0;net9.0`. */
function targetsIn(xml: string): string[] | undefined {
  const text = elementText(xml, 'TargetFrameworks') ?? elementText(xml, 'TargetFramework') ?? '';
  const found = [...text.slice(0, 200).matchAll(/net(?:coreapp)?(\d{1,2}\.\d)(?=[;\s-]|$)/g)].map((match) => match[1]!);
  return found.length ? found : undefined;
}

/** Detects a published program by its runtime configuration. */
async function published(tree: SourceTree): Promise<DetectFinding | undefined> {
  const names = await tree.list('');
  const settings = names.find((name) => name.endsWith('.runtimeconfig.json'));
  const name = plainName(settings?.replace(/\.runtimeconfig\.json$/, ''));
  if (!settings || !name || !names.includes(`${name}.dll`)) return undefined;
  const start = `ASPNETCORE_URLS=http://\${HOST:-0.0.0.0}:\${PORT:-8080} dotnet ${name}.dll`;
  const wanted = textOrNull(childRecord(await readJson(tree, settings), 'runtimeOptions', 'framework')['version']);
  const version = languageVersion(line, [{ wanted: wanted && /^\d+\.\d+/.exec(wanted)?.[0], from: settings }]);
  return {
    ...version,
    framework: 'dotnet',
    language: 'csharp',
    startCommand: start,
    port: 8080,
    reasons: [
      ...(version.reasons ?? []),
      `${settings}: a .NET program that is already built, started with \`${start}\``,
    ],
  };
}

const otherSites = (projects: Project[]): string[] => {
  const folders = projects.filter(({ sdk }) => sdk.endsWith('.Web')).map(({ path }) => posix.dirname(path));
  return folders.length
    ? [`To deploy another web project, set its folder as root directory: ${folders.join(', ')}`]
    : [];
};

/** Returns the projects by how likely they are served, without tests: web projects first, and of them those with pages. */
async function findProjects(tree: SourceTree): Promise<Project[]> {
  const names = await tree.list('');
  // With a solution, projects are deeper.
  const isSolution = names.some((name) => /\.slnx?$|^(global\.json|Directory\.Build\.props)$/.test(name));
  const paths = await findFiles(tree, (name) => /\.(cs|fs|vb)proj$/.test(name), { depth: isSolution ? 3 : 1 });
  const projects: Project[] = [];
  for (const found of paths) {
    const path = plainPath(found);
    const xml = path && withoutXmlComments((await tree.read(path)) ?? '');
    if (!path || !xml) continue;
    const sdk = /<Project[^>]{0,200}\bSdk="([\w./-]{1,100})"/.exec(xml)?.[1] ?? '';
    const assembly = plainName(elementText(xml, 'AssemblyName')) ?? posix.basename(path).replace(/\.\w+proj$/, '');
    const hasPages = (await tree.list(posix.dirname(path))).some((name) => pages.has(name));
    if (!/<IsTestProject>\s*true|Microsoft\.NET\.Test\.Sdk/i.test(xml))
      projects.push({ path, xml, sdk, assembly, hasPages });
  }
  const rank = ({ sdk, xml, hasPages }: Project) =>
    sdk.endsWith('.Web') ? (hasPages ? 0 : 1) : sdk.includes('Blazor') ? 2 : /<OutputType>\s*Exe/i.test(xml) ? 3 : 4;
  return projects.toSorted((a, b) => rank(a) - rank(b));
}

/** A project with references needs their files as well. */
async function restoreFiles(tree: SourceTree, path: string, xml: string): Promise<string[]> {
  const names = await tree.list('');
  const shared = names.filter((name) =>
    /^(Directory\.(Build|Packages)\.props|nuget\.config|global\.json)$/i.test(name),
  );
  return xml.includes('<ProjectReference') ? [] : [path, ...shared];
}
