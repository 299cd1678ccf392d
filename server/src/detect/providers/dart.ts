import type { DetectFinding, Provider } from '../detect.ts';
import { languageVersion, toolVersions } from '../language-version.ts';
import { plainName } from '../plain-names.ts';
import type { VersionLine } from '../version-range.ts';
import { mapKeys, yamlScalar } from '../yaml-outline.ts';

const line: VersionLine = { language: 'Dart', known: ['3'], preferred: '3', aliases: { stable: '3', latest: '3' } };

export const dart: Provider = {
  name: 'dart',
  looksFor: 'pubspec.yaml',
  async detect(tree) {
    const pubspec = await tree.read('pubspec.yaml');
    if (pubspec === undefined) return undefined;
    const names = new Set(await tree.list(''));
    const dependencies = mapKeys(pubspec, 'dependencies');
    const isFlutter = dependencies.includes('flutter');
    const isFrog = dependencies.includes('dart_frog');
    const programs = (await tree.list('bin')).filter((file) => file.endsWith('.dart')).map((file) => plainName(file));
    const own = `${plainName(yamlScalar(pubspec, 'name')) ?? 'main'}.dart`;
    const file = ['server.dart', 'main.dart', own].find((each) => programs.includes(each)) ?? programs.find(Boolean);
    const build = isFlutter
      ? 'flutter build web --release'
      : isFrog
        ? 'dart_frog build && dart compile exe build/bin/server.dart -o build/bin/server'
        : file && `dart compile exe bin/${file} -o bin/${file.slice(0, -5)}`;
    const start = isFlutter ? null : isFrog ? './build/bin/server' : file ? `./bin/${file.slice(0, -5)}` : null;
    const isWeb = isFlutter && names.has('web/');
    // A range in pubspec.yaml ends before the next major version, as the image tag does.
    const version = languageVersion(line, await toolVersions(tree, 'dart'));
    const what = isFlutter ? 'Flutter' : isFrog ? 'Dart Frog' : 'Dart';
    return {
      ...version,
      framework: isFlutter ? 'flutter' : isFrog ? 'dart-frog' : dependencies.includes('shelf') ? 'shelf' : 'dart',
      language: 'dart',
      packageManager: 'pub',
      installCommand: isFlutter ? 'flutter pub get' : 'dart pub get',
      installFiles: ['pubspec.yaml', 'pubspec.lock'].filter((name) => names.has(name)),
      buildCommand: isFlutter && !isWeb ? null : (build ?? null),
      startCommand: start,
      outputDirectory: isWeb ? 'build/web' : null,
      fallback: isWeb ? 'index.html' : null,
      port: start ? 8080 : null,
      reasons: [
        ...(version.reasons ?? []),
        `pubspec.yaml: ${what}, ${start ? `started with \`${start}\`` : isWeb ? `built with \`${build}\`, served from build/web` : isFlutter ? 'but it has no folder web, so it is not a web app' : 'but no program in bin'}`,
      ],
    } satisfies DetectFinding;
  },
};
