import type { DetectFinding, SourceTree } from '../detect.ts';
import { languageVersion, toolVersions, versionFile, type VersionSign } from '../language-version.ts';
import { rangeAllows, type VersionLine } from '../version-range.ts';

const line: VersionLine = { language: 'Java', known: ['25', '21', '17', '11', '8'], preferred: '21' };

/** Returns the Java version from version files, then from the build. */
export async function javaVersion(tree: SourceTree, signs: VersionSign[] = []): Promise<DetectFinding> {
  const system = /^[ \t]*java\.runtime\.version\s*=\s*([\w.-]+)/m.exec(
    (await tree.read('system.properties')) ?? '',
  )?.[1];
  const sdkman = /^[ \t]*java\s*=\s*([\w.-]+)/m.exec((await tree.read('.sdkmanrc')) ?? '')?.[1];
  const said = [
    await versionFile(tree, '.java-version'),
    ...(await toolVersions(tree, 'java')),
    { wanted: system, from: 'system.properties' },
    { wanted: sdkman, from: '.sdkmanrc' },
    ...signs,
  ];
  return languageVersion(
    line,
    said.map(({ wanted, from }) => ({ wanted: wanted && majorOf(wanted), from })),
  );
}

/** First versions of Gradle that run on a Java, newest first. */
const gradles: [major: number, minor: number, java: string][] = [
  [9, 1, '25'],
  [8, 5, '21'],
  [7, 3, '17'],
  [5, 0, '11'],
  [0, 0, '8'],
];

/** The newest long-term version of Java that a Gradle version runs on, and the oldest. */
export function javaOfGradle(version: string | undefined): { newest: string; oldest: string } | undefined {
  const [major, minor = 0] = (version ?? '').split('.').map(Number);
  if (!major) return undefined;
  const [, , newest] = gradles.find(([from, at]) => major > from || (major === from && minor >= at))!;
  return { newest: Number(newest) > 21 ? '21' : newest, oldest: major >= 9 ? '17' : '8' };
}

/** Frameworks and tools whose older versions fail on newer versions of Java: below the first, at most the second. */
const limits: Record<string, [below: string, java: string][]> = {
  'Spring Boot': [
    ['2', '8'],
    ['2.6', '11'],
    ['3.2', '17'],
  ],
  sbt: [
    ['1', '8'],
    ['1.6', '11'],
    ['1.9', '17'],
  ],
  Play: [
    ['2.8', '8'],
    ['2.9', '11'],
  ],
};

/** Returns the Java version for a version of a framework or tool, if it must be an older one. */
export function javaFor(name: keyof typeof limits, version: string | undefined): VersionSign {
  const java = version && limits[name]!.find(([below]) => rangeAllows(`<${below}`, version))?.[1];
  return { wanted: java, from: `${name} ${version}` };
}

/** Strips vendor and build: `zulu-21.0.1`, `temurin-17`, `1.8`. */
const majorOf = (wanted: string) => /(?:^|[^\d.])(?:1\.)?(\d{1,2})(?:[.\-+u]|$)/.exec(wanted)?.[1] ?? wanted;
