import type { BaseStage, DockerApp, DockerfilePlan, Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';

const sbt = 'https://github.com/sbt/sbt/releases/download/v1.10.11/sbt-1.10.11.tgz';

/** Caches and leftovers of each build tool. */
const tools: Record<string, Pick<DockerfilePlan, 'caches' | 'leftovers'>> = {
  maven: { caches: { maven: '/root/.m2' }, leftovers: ['target/classes', 'target/test-classes'] },
  gradle: { caches: { gradle: '/root/.gradle' }, leftovers: ['.gradle', 'build/classes', 'build/tmp'] },
  sbt: {
    caches: { sbt: '/root/.sbt', coursier: '/root/.cache/coursier' },
    leftovers: ['project/target', 'target/streams'],
  },
  leiningen: { caches: { maven: '/root/.m2' }, leftovers: ['target/classes'] },
  clojure: { caches: { maven: '/root/.m2' }, leftovers: ['.cpcache', 'target/classes'] },
};

/** Languages on the Java VM. */
export const jvmToolchain: Toolchain = {
  languages: ['java', 'kotlin', 'scala', 'clojure'],
  plan(app) {
    const java = versionTag(app.found.languageVersion, '21');
    return {
      build: builder(app, java),
      run: tomcatFor(app.found.framework, java) ?? { image: `eclipse-temurin:${java}-jre` },
      ...tools[app.found.packageManager ?? ''],
    };
  },
};

const tomcats: Record<string, string> = { servlet: '9.0', 'jakarta-servlet': '10.1' };

/** The server of a WAR, with the port from the environment. */
function tomcatFor(framework: string | null, java: string): BaseStage | undefined {
  const version = framework !== null && Object.hasOwn(tomcats, framework) ? tomcats[framework] : undefined;
  if (!version) return undefined;
  const digester = 'org.apache.tomcat.util.digester';
  return {
    image: `tomcat:${version}-jre${java}-temurin`,
    commands: [
      `sed -i 's/port="8080"/port="\${PORT}"/' /usr/local/tomcat/conf/server.xml && chmod a+w /usr/local/tomcat/webapps`,
    ],
    environment: { CATALINA_OPTS: `-D${digester}.PROPERTY_SOURCE=${digester}.EnvironmentPropertySource` },
  };
}

/** A wrapper in the source brings the tool; otherwise the tool's own image is used. */
function builder({ found, build }: DockerApp, java: string): BaseStage {
  const jdk: BaseStage = { image: `eclipse-temurin:${java}-jdk` };
  const hasWrapper = /(?:^|\s)\.\/(?:mvnw|gradlew)\b/.test(build ?? '');
  if (found.packageManager === 'maven' && !hasWrapper) return { image: `maven:3-eclipse-temurin-${java}` };
  if (found.packageManager === 'gradle' && !hasWrapper)
    return { image: `gradle:${versionTag(found.packageManagerVersion, '8')}-jdk${java}` };
  if (found.packageManager === 'leiningen') return { image: `clojure:temurin-${java}-lein` };
  if (found.packageManager === 'clojure') return { image: `clojure:temurin-${java}-tools-deps` };
  return found.packageManager === 'sbt'
    ? { ...jdk, commands: [`curl -fsSL ${sbt} | tar -xz -C /usr/local --strip-components=1`] }
    : jdk;
}
