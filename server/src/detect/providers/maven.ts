import { posix } from 'node:path';
import type { DetectFinding, Provider, SourceTree } from '../detect.ts';
import { jvmFramework } from '../jvm/frameworks.ts';
import { javaFor, javaVersion } from '../jvm/java-version.ts';
import { servlets, tomcat, warNote } from '../jvm/war.ts';
import { wrapperCommand } from '../jvm/wrapper.ts';
import { outermostAbove } from '../folders-above.ts';
import { plainName, plainPath } from '../plain-names.ts';
import { xmlElements, elementText, withoutXmlComments } from '../xml-outline.ts';

export const maven: Provider = {
  name: 'maven',
  looksFor: 'pom.xml',
  async detect(tree, _, outer) {
    const source = await tree.read('pom.xml');
    if (source === undefined) return undefined;
    const own = withoutXmlComments(source);
    const above = await outermostAbove(outer, ['pom.xml'], listsModule);
    const pom = above ? `${own}\n${withoutXmlComments(above.text)}` : own;
    const names = new Set(await tree.list(''));
    const module = await runnableModule(tree, own);
    const settings =
      module && (await tree.read(posix.join(module.folder, 'src/main/resources/application.properties')));
    const text = [pom, module?.pom, settings].join('\n');
    const known = jvmFramework(text);
    const isWar = module !== undefined && isPlainWar(module.pom, known?.id);
    const framework = isWar ? servlets(text) : known;
    const tool = (await wrapperCommand(above?.tree ?? tree, 'maven')) ?? 'mvn';
    const build = above
      ? `cd ${above.up} && ${tool} -B -DskipTests -pl ${posix.join(above.path, module?.folder ?? '')} -am package`
      : `${tool} -B -DskipTests package`;
    const archive = module && posix.join(module.folder, 'target', framework?.archive ?? archiveName(module.pom));
    const start = isWar
      ? framework
        ? tomcat(archive!)
        : null
      : module && (framework || program.test(module.pom))
        ? ['java', framework?.options, '-jar', archive].filter(Boolean).join(' ')
        : null;
    const version = await javaVersion(above?.tree ?? tree, [
      ...versionsIn(pom),
      javaFor('Spring Boot', bootVersion(pom)),
    ]);
    const language = (await tree.list('src/main')).includes('kotlin/') ? 'kotlin' : 'java';
    const what = framework?.name ?? (language === 'kotlin' ? 'Kotlin' : 'Java');
    return {
      ...version,
      framework: framework?.id ?? language,
      language,
      packageManager: 'maven',
      adapt: (command) => (start && /^(?:sh )?(?:\.\/)?mvnw? /.test(command) ? start : command),
      ...(above && { workspaceDirectory: above.folder }),
      installFiles:
        module?.folder === '' && !above ? ['pom.xml', 'mvnw', '.mvn/'].filter((name) => names.has(name)) : [],
      buildCommand: build,
      startCommand: start,
      port: start ? (framework?.port ?? 8080) : null,
      reasons: [
        ...(version.reasons ?? []),
        `pom.xml: ${what} with Maven, built with \`${build}\`, ${start ? `started with \`${start}\`` : isWar ? warNote : 'but it produces no executable archive'}`,
      ],
    } satisfies DetectFinding;
  },
};

// A project that builds a program, not a library.
const program = /<mainClass>|<Main-Class>|(spring-boot|quarkus|micronaut|shade|assembly)-(maven-)?plugin/;

/** Strips nested elements, which share names with the project's own. */
const top = (pom: string) =>
  ['parent', 'dependencies', 'dependencyManagement', 'build', 'profiles', 'modules'].reduce(
    (text, name) => xmlElements(text, name).reduce((rest, inner) => rest.replace(inner, ''), text),
    pom,
  );

const versionsIn = (pom: string) =>
  [
    'maven.compiler.release',
    'java.version',
    'maven.compiler.target',
    'maven.compiler.source',
    'kotlin.compiler.jvmTarget',
    'release',
  ]
    .map((name) => ({ wanted: elementText(pom, name), from: `${name} of pom.xml` }))
    .filter(({ wanted }) => wanted && /^[\d.]+$/.test(wanted));

const bootVersion = (pom: string) =>
  /<artifactId>spring-boot-starter-parent<\/artifactId>\s{0,50}<version>(\d{1,2}\.\d{1,2})/.exec(pom)?.[1] ??
  /<spring-boot\.version>(\d{1,2}\.\d{1,2})/.exec(pom)?.[1];

/** Returns the archive name if the file states it, else a pattern. */
function archiveName(pom: string): string {
  const own = top(pom);
  const final = plainName(
    xmlElements(pom, 'build')
      .map((build) => elementText(build, 'finalName'))
      .find(Boolean),
  );
  if (pom.includes('jar-with-dependencies')) return '*-jar-with-dependencies.jar';
  const ending = elementText(own, 'packaging') === 'war' ? 'war' : 'jar';
  if (final) return `${final}.${ending}`;
  const inherited = xmlElements(pom, 'parent')
    .map((parent) => elementText(parent, 'version'))
    .find(Boolean);
  const [artifact, version] = [elementText(own, 'artifactId'), elementText(own, 'version') ?? inherited].map(plainName);
  return artifact && version ? `${artifact}-${version}.${ending}` : `*.${ending}`;
}

/** A WAR needs an application server, unless it embeds one. */
const isPlainWar = (pom: string, framework: string | undefined) =>
  elementText(top(pom), 'packaging') === 'war' && framework !== 'spring-boot';

type Module = { folder: string; pom: string };

const modulesIn = (pom: string) =>
  xmlElements(pom, 'modules')
    .flatMap((list) => xmlElements(list, 'module'))
    .map((path) => plainPath(path.trim()));

const listsModule = (pom: string, path: string) =>
  modulesIn(withoutXmlComments(pom)).some((module) => module === path || module === `${path}/pom.xml`);

/** Returns the project itself, or the module that is a program. */
async function runnableModule(tree: SourceTree, pom: string): Promise<Module | undefined> {
  const modules = modulesIn(pom);
  if (!modules.length) return { folder: '', pom };
  const read: Module[] = [];
  for (const folder of modules.filter((path) => path !== undefined).slice(0, 30)) {
    const inner = await tree.read(posix.join(folder, 'pom.xml'));
    if (inner !== undefined) read.push({ folder, pom: withoutXmlComments(inner) });
  }
  return (
    read.find((each) => program.test(each.pom)) ??
    read.find(({ folder }) => /(^|\/)(app|web|server|api)$/.test(folder)) ??
    read.at(-1)
  );
}
