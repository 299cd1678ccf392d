import { posix } from 'node:path';
import type { DetectFinding, Provider, SourceTree } from '../detect.ts';
import { withoutComments } from '../json.ts';
import { jvmFramework, type JvmFramework } from '../jvm/frameworks.ts';
import { javaFor, javaOfGradle, javaVersion } from '../jvm/java-version.ts';
import { servlets, tomcat } from '../jvm/war.ts';
import { gradleVersion, wrapperCommand } from '../jvm/wrapper.ts';
import { outermostAbove } from '../folders-above.ts';
import { plainName, plainPath } from '../plain-names.ts';

const buildFiles = ['build.gradle.kts', 'build.gradle'];
const settingsFiles = ['settings.gradle.kts', 'settings.gradle'];

/** A Gradle project; the root is `''`. */
type Project = { folder: string; script: string; name: string };

export const gradle: Provider = {
  name: 'gradle',
  looksFor: 'build.gradle',
  async detect(tree, _, outer) {
    const names = new Set(await tree.list(''));
    const file = [...buildFiles, ...settingsFiles].find((each) => names.has(each));
    if (!file) return undefined;
    const isRoot = settingsFiles.some((name) => names.has(name));
    const above = isRoot ? undefined : await outermostAbove(outer, settingsFiles, includesProject);
    const root = above?.tree ?? tree;
    const project = above ? await memberProject(tree, above.path) : await runnableProject(tree);
    const script = project?.script ?? '';
    const settings = await Promise.all(
      [
        posix.join(project?.folder ?? '', 'src/main/resources/application.properties'),
        ...(above ? [] : ['gradle.properties']),
      ].map((path) => tree.read(path)),
    );
    const shared = ['gradle/libs.versions.toml', ...(above ? ['gradle.properties'] : [])].map((path) =>
      root.read(path),
    );
    const all = [script, ...(await Promise.all(shared)), await firstOf(root, '', buildFiles), ...settings].join('\n');
    const framework = jvmFramework(all) ?? (isWar(script) ? servlets(all) : undefined);
    const tool = (await wrapperCommand(root, 'gradle')) ?? 'gradle';
    const { task, start } = project ? recipe(project, framework) : { task: 'build -x test', start: null };
    const path = above?.path ?? project?.folder;
    const prefix = path ? `:${path.replaceAll('/', ':')}:` : '';
    const build = `${above ? `cd ${above.up} && ` : ''}${tool} --no-daemon ${prefix}${task}`;
    const gradleTool = await gradleVersion(root);
    const version = fitting(await javaVersion(root, [...versionsIn(all), forBoot(all, gradleTool)]), gradleTool);
    const language = (await isKotlin(tree, project, all)) ? 'kotlin' : 'java';
    const what = framework?.name ?? (language === 'kotlin' ? 'Kotlin' : 'Java');
    return {
      ...version,
      framework: framework?.id ?? language,
      language,
      packageManager: 'gradle',
      packageManagerVersion: gradleTool?.split('.')[0] ?? null,
      adapt: (command) => (start && /^(?:sh )?(?:\.\/)?gradlew? /.test(command) ? start : command),
      ...(above && { workspaceDirectory: above.folder }),
      buildCommand: build,
      startCommand: start,
      port: start ? (framework?.port ?? 8080) : null,
      reasons: [
        ...(version.reasons ?? []),
        `${file}: ${what} with Gradle, built with \`${build}\`, ${start ? `started with \`${start}\`` : 'but it produces no executable archive'}`,
      ],
    } satisfies DetectFinding;
  },
};

/** Gradle itself must run on the Java version. */
function fitting(version: DetectFinding, gradleTool: string | undefined): DetectFinding {
  const allowed = javaOfGradle(gradleTool);
  const named = version.languageVersion;
  if (!allowed || (named && Number(named) >= Number(allowed.oldest))) return version;
  const picked = named ? allowed.oldest : allowed.newest;
  const reason = `gradle-wrapper.properties: Java ${picked}, because Gradle ${gradleTool} runs on it`;
  return { languageVersion: picked, reasons: [...(version.reasons ?? []), reason] };
}

/** Returns the task and the start command: a single archive, or a folder with a start script. */
function recipe({ folder, script, name }: Project, framework?: JvmFramework) {
  const output = posix.join(folder, 'build');
  const java = (archive: string) =>
    ['java', framework?.options, '-jar', posix.join(output, archive)].filter(Boolean).join(' ');
  // Spring also builds an archive without libraries; the `bootJar` task does not.
  if (framework?.id === 'spring-boot')
    return { task: isFirstBoot(script) ? 'assemble' : 'bootJar', start: java('libs/*.jar') };
  if (isWar(script) && framework?.id.endsWith('servlet'))
    return { task: 'war', start: tomcat(posix.join(output, 'libs/*.war')) };
  if (framework?.archive) return { task: 'build -x test', start: java(framework.archive) };
  const isApplication = /\bmainClass(Name)?\b|io\.micronaut\.application/.test(script);
  if (!isApplication) return { task: 'build -x test', start: /Main-Class/.test(script) ? java('libs/*.jar') : null };
  return { task: 'installDist', start: posix.join(output, 'install', name, 'bin', name) };
}

const bootVersion = (script: string) =>
  /(?:org\.springframework\.boot["')]{1,2}\s{0,5}version\s{0,5}\(?|springBootVersion\s{0,5}=\s{0,5})["'](\d{1,2}\.\d{1,2})/.exec(
    script,
  )?.[1];

const isWar = (script: string) => /\bid\s?\(?["']war["']|^\s{0,20}war\s{0,20}$|plugin: ?["']war["']/m.test(script);

/** Spring Boot 1 has other tasks. */
const isFirstBoot = (script: string) => bootVersion(script)?.startsWith('1.') ?? false;

/** The Java of an old Spring Boot, unless Gradle needs an even older one. */
function forBoot(script: string, gradleTool: string | undefined) {
  const sign = javaFor('Spring Boot', bootVersion(script));
  return Number(sign.wanted) > Number(javaOfGradle(gradleTool)?.newest) ? { ...sign, wanted: undefined } : sign;
}

const includedIn = (settings: string) =>
  [...settings.slice(0, 50_000).matchAll(/^[ \t]*include\b([^\n]{1,500})/gm)].flatMap((line) =>
    [...line[1]!.matchAll(/["']:?([\w:./-]{1,100})["']/g)].map((each) => plainPath(each[1]!.replaceAll(':', '/'))),
  );

const includesProject = (settings: string, path: string) => includedIn(withoutComments(settings)).includes(path);

const memberProject = async (tree: SourceTree, path: string): Promise<Project> => ({
  folder: '',
  script: await firstOf(tree, '', buildFiles),
  name: posix.basename(path),
});

async function runnableProject(tree: SourceTree): Promise<Project | undefined> {
  const settings = await firstOf(tree, '', settingsFiles);
  const rootName = plainName(/rootProject\.name\s*=\s*["']([^"'\n]{1,100})["']/.exec(settings)?.[1]) ?? 'app';
  const root: Project = { folder: '', script: await firstOf(tree, '', buildFiles), name: rootName };
  const others: Project[] = [];
  for (const folder of includedIn(settings)
    .filter((path) => path !== undefined)
    .slice(0, 30))
    others.push({ folder, script: await firstOf(tree, folder, buildFiles), name: posix.basename(folder) });
  const isProgram = ({ script }: Project) =>
    /\bmainClass(Name)?\b|org\.springframework\.boot|io\.quarkus|io\.micronaut\.application|Main-Class/.test(script);
  return [root, ...others].find(isProgram) ?? (others.length ? undefined : root);
}

async function firstOf(tree: SourceTree, folder: string, names: string[]): Promise<string> {
  for (const name of names) {
    const source = await tree.read(posix.join(folder, name));
    if (source !== undefined) return withoutComments(source.slice(0, 200_000));
  }
  return '';
}

const versionsIn = (script: string) =>
  [
    /languageVersion[^\n]{0,60}?(\d{1,2})\)/,
    /jvmToolchain\(\s*(\d{1,2})\s*\)/,
    /sourceCompatibility\s*=?\s*(?:JavaVersion\.VERSION_)?["']?((?:1[._])?\d{1,2})/,
  ].map((rule) => ({ wanted: rule.exec(script)?.[1]?.replace('_', '.'), from: 'build.gradle' }));

async function isKotlin(tree: SourceTree, project: Project | undefined, script: string): Promise<boolean> {
  const languages = await tree.list(posix.join(project?.folder ?? '', 'src/main'));
  if (languages.includes('java/') && !languages.includes('kotlin/')) return false;
  return languages.includes('kotlin/') || /kotlin\(["']jvm["']\)|org\.jetbrains\.kotlin/.test(script);
}
