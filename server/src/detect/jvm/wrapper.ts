import type { SourceTree } from '../detect.ts';

/** The script that brings a build tool, and what it needs. */
const wrappers = {
  gradle: { script: 'gradlew', folder: 'gradle/wrapper', files: ['gradle-wrapper.jar'] },
  maven: { script: 'mvnw', folder: '.mvn/wrapper', files: ['maven-wrapper.properties'] },
};

/**
 * Returns the command that runs a wrapper; undefined if it is missing or incomplete. It runs with `sh`, because its
 * execute bit and its line ends are often lost on Windows.
 */
export async function wrapperCommand(tree: SourceTree, tool: keyof typeof wrappers): Promise<string | undefined> {
  const { script, folder, files } = wrappers[tool];
  const source = await tree.read(script);
  const names = await tree.list(folder);
  if (source === undefined || !files.every((file) => names.includes(file))) return undefined;
  return source.slice(0, 20_000).includes('\r\n') ? `sed -i 's/\\r$//' ${script} && sh ./${script}` : `sh ./${script}`;
}

/** Version of Gradle that the wrapper downloads. */
export async function gradleVersion(tree: SourceTree): Promise<string | undefined> {
  const properties = (await tree.read('gradle/wrapper/gradle-wrapper.properties')) ?? '';
  return /^distributionUrl=.{0,200}\/gradle-(\d{1,2}(?:\.\d{1,2}){1,2})-/m.exec(properties)?.[1];
}
