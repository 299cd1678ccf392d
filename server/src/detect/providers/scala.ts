import type { Provider } from '../detect.ts';
import { javaFor, javaVersion } from '../jvm/java-version.ts';
import { plainName } from '../plain-names.ts';

export const scala: Provider = {
  name: 'scala',
  looksFor: 'build.sbt',
  async detect(tree) {
    const source = await tree.read('build.sbt');
    if (source === undefined) return undefined;
    const plugins = (await tree.read('project/plugins.sbt')) ?? '';
    const name = plainName(
      /\bname\s*:=\s*"{1,3}([^"\n]{1,100})"/.exec(source)?.[1]?.toLowerCase().replace(/\s+/g, '-'),
    );
    const isPlay = /playframework|com\.typesafe\.play|PlayScala|PlayJava/.test(`${plugins}\n${source}`);
    const isPackaged =
      isPlay || /sbt-native-packager|JavaAppPackaging|JavaServerAppPackaging/.test(`${plugins}\n${source}`);
    const isAssembled = /sbt-assembly/.test(plugins);
    const build = isPackaged ? 'sbt stage' : isAssembled ? 'sbt assembly' : 'sbt compile';
    const packaged = `target/universal/stage/bin/${name ?? '*'}`;
    const start = isPackaged
      ? isPlay
        ? // A stale pid file would prevent a restart after a crash.
          `${packaged} -Dhttp.port=\${PORT:-9000} -Dpidfile.path=/dev/null`
        : packaged
      : isAssembled
        ? 'java -jar target/scala-*/*-assembly-*.jar'
        : 'sbt run';
    const sbt = /^\s{0,9}sbt\.version\s{0,9}=\s{0,9}(\d[\d.]{0,20})/m.exec(
      (await tree.read('project/build.properties')) ?? '',
    )?.[1];
    const play = /"sbt-plugin"\s{0,9}%\s{0,9}"(\d{1,2}\.\d{1,2})/.exec(plugins)?.[1];
    const version = await javaVersion(tree, [javaFor('Play', play), javaFor('sbt', sbt)]);
    return {
      ...version,
      framework: isPlay ? 'play' : 'scala',
      language: 'scala',
      packageManager: 'sbt',
      buildCommand: build,
      startCommand: start,
      port: isPlay ? 9000 : 8080,
      reasons: [
        ...(version.reasons ?? []),
        `build.sbt: ${isPlay ? 'Play' : 'Scala'}, built with \`${build}\`, started with \`${start}\``,
      ],
    };
  },
};
