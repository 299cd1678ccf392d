import type { Provider } from '../detect.ts';
import { languageVersion, toolVersions } from '../language-version.ts';
import { plainName } from '../plain-names.ts';
import type { VersionLine } from '../version-range.ts';

const line: VersionLine = { language: 'Nim', known: ['2.2', '2.0', '1.6'], preferred: '2.2' };

export const nim: Provider = {
  name: 'nim',
  looksFor: '.nimble',
  async detect(tree) {
    const file = (await tree.list('')).find((name) => name.endsWith('.nimble'));
    if (!file) return undefined;
    const source = (await tree.read(file)) ?? '';
    const program = plainName(/^[ \t]*bin\s*=\s*@\[\s*"([^"\n]{1,80})"/m.exec(source)?.[1]);
    const folder = plainName(/^[ \t]*binDir\s*=\s*"([^"\n]{1,80})"/m.exec(source)?.[1]);
    const start = program ? `./${folder ? `${folder}/` : ''}${program}` : null;
    const wanted = /requires\s+"nim\s*([^"\n]{1,40})"/.exec(source)?.[1];
    const version = languageVersion(line, [...(await toolVersions(tree, 'nim')), { wanted, from: file }]);
    return {
      ...version,
      framework: /\bprologue\b/.test(source) ? 'prologue' : /\bjester\b/.test(source) ? 'jester' : 'nim',
      language: 'nim',
      packageManager: 'nimble',
      buildCommand: 'nimble build -d:release -y',
      startCommand: start,
      port: start ? 8080 : null,
      reasons: [
        ...(version.reasons ?? []),
        `${file}: Nim, ${start ? `started with \`${start}\`` : 'but it names no bin'}`,
      ],
    };
  },
};
