import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Detection, nothingDetected } from '../detect/detect.ts';
import { readIgnoreRules } from '../drivers/images/context/ignore-rules.ts';
import type { DockerfileOptions } from './dockerfile.ts';
import { buildContext, generateDockerfile } from './index.ts';
import { runInstruction, cmdInstruction, versionTag } from './instructions.ts';

const options: DockerfileOptions = {
  folder: '',
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  outputDirectory: null,
  cacheScope: 'p1',
  variables: [],
  secrets: [],
};
const app: Detection = {
  ...nothingDetected,
  language: 'javascript',
  packageManager: 'npm',
  installCommand: 'npm ci',
  startCommand: 'npm run start',
  port: 3000,
};
const make = (found: Partial<Detection> = {}, more: Partial<DockerfileOptions> = {}) =>
  generateDockerfile({ ...app, ...found }, { ...options, ...more })!;

/** First words of the lines, as Docker sees them: a continued line would hide an instruction. */
const instructions = (dockerfile: string) =>
  dockerfile
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' ')[0]!);
const known = new Set(['#', 'FROM', 'WORKDIR', 'ARG', 'COPY', 'RUN', 'ENV', 'USER', 'EXPOSE', 'CMD']);

describe('command generation', () => {
  it.each([
    ['npm ci', 'RUN npm ci'],
    ['a && b', 'RUN ["/bin/sh", "-c", "a && b"]'],
    ['--mount=type=bind,from=x,target=/y sh', 'RUN ["/bin/sh", "-c", "--mount=type=bind,from=x,target=/y sh"]'],
    ['["sh"]', 'RUN ["/bin/sh", "-c", "[\\"sh\\"]"]'],
    ['cat <<EOF', 'RUN ["/bin/sh", "-c", "cat \\u003c\\u003cEOF"]'],
    ['a\nUSER root', 'RUN ["/bin/sh", "-c", "a\\nUSER root"]'],
    ['a \\', 'RUN ["/bin/sh", "-c", "a \\\\"]'],
  ])('runs %j as %s', (command, instruction) => expect(runInstruction(command)).toBe(instruction));

  it.each([
    ['npm run start', 'CMD ["npm", "run", "start"]'],
    ['node a --port ${PORT:-1}', 'CMD ["/bin/sh", "-c", "exec node a --port ${PORT:-1}"]'],
    ['A=1 node a', 'CMD ["/bin/sh", "-c", "exec env A=1 node a"]'],
    ['A=1 B="x y" node a', 'CMD ["/bin/sh", "-c", "exec env A=1 B=\\"x y\\" node a"]'],
    ['. .venv/bin/activate && a', 'CMD ["/bin/sh", "-c", ". .venv/bin/activate && a"]'],
    ['cd web; node a', 'CMD ["/bin/sh", "-c", "cd web; node a"]'],
    ['a "$(id)"', 'CMD ["/bin/sh", "-c", "a \\"$(id)\\""]'],
  ])('starts %j as %s', (command, instruction) => expect(cmdInstruction(command)).toBe(instruction));

  it('runs a command before the start', () =>
    expect(make({}, { beforeStart: 'php artisan migrate' }).dockerfile).toMatch(
      /ENTRYPOINT \["\/bin\/sh", "-c", "php artisan migrate && exec \\"\$@\\"", "start"\]\nCMD \["npm", "run", "start"\]\n$/,
    ));

  it('exports secrets for a single command only', () =>
    expect(runInstruction('npm run build', { secrets: ['TOKEN'] })).toBe(
      'RUN --mount=type=secret,id=TOKEN ["/bin/sh", "-c", "export TOKEN=\\"$(cat /run/secrets/TOKEN)\\"; exec /bin/sh -c \\"$1\\"", "build", "npm run build"]',
    ));

  it('keeps any command inside its instruction', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '\r', '\\', '"', "'", '$', '<', '[', ']', '-', '#', '\u2028', '='),
    });
    fc.assert(
      fc.property(text, text, (build, begin) => {
        const { dockerfile } = make({}, { buildCommand: build || 'x', startCommand: begin || 'x', secrets: ['S'] });
        expect(dockerfile).not.toContain('\r');
        for (const word of instructions(dockerfile)) expect(known).toContain(word);
        const [, words] = /^CMD (.+)$/m.exec(dockerfile)!;
        expect((JSON.parse(words!) as string[]).join(' ')).toContain(begin.trim() ? begin.trim().split(' ')[0] : '');
      }),
    );
  });
});

describe('handling of untrusted values', () => {
  const evil = ['22\nRUN id', '22 AS x', '$(id)', '22-slim', '../x', '22;id', '22@sha256:0', '`id`', '22\\', '22 # x'];

  it.each(['languageVersion', 'packageManagerVersion'] as const)('ignores an invalid %s', (field) => {
    for (const language of [
      'javascript',
      'python',
      'go',
      'rust',
      'ruby',
      'php',
      'java',
      'csharp',
      'elixir',
      'erlang',
      'gleam',
      'crystal',
      'dart',
      'nim',
      'swift',
      'zig',
    ])
      for (const packageManager of ['npm', 'pnpm', 'yarn', 'bun', 'deno', 'maven', 'sbt'])
        for (const version of evil) {
          const { dockerfile } = make({ language, packageManager, [field]: version });
          const { dockerfile: usual } = make({ language, packageManager, [field]: null });
          expect(dockerfile).toBe(usual);
        }
  });

  it.each(['a b', '$HOME', 'a\nRUN id', '../x', 'a"b', "a'b", 'a;b', '--chown=x'])(
    'copies everything instead of the file %j',
    (file) => {
      const { dockerfile } = make({ installFiles: ['package.json', file] });
      expect(dockerfile).not.toContain('COPY package.json');
      expect(dockerfile).toContain('COPY . /app/\nRUN --mount=type=cache,id=p1-npm,target=/root/.npm npm ci\n');
    },
  );

  it.each(['a b', 'a\nRUN id', '$X', '../b', '"'])('rejects the folder %j', (folder) => {
    expect(() => make({}, { folder })).toThrow('cannot be used in a Dockerfile');
    expect(() => make({ startCommand: null, outputDirectory: folder })).toThrow('cannot be used in a Dockerfile');
  });

  it.each(['A-B', 'A B', 'A\nRUN id', '1A', 'A=b', ''])('rejects the variable %j', (name) => {
    expect(() => make({}, { variables: [name] })).toThrow('is not the name of a variable');
    expect(() => make({}, { secrets: [name] })).toThrow('is not the name of a variable');
  });

  it('validates the cache scope, which separates projects', () => {
    expect(() => make({}, { cacheScope: 'a,target=/etc' })).toThrow('scope of a cache');
    expect(make().dockerfile).toContain('id=p1-npm,');
    expect(make({}, { cacheScope: 'p2' }).dockerfile).toContain('id=p2-npm,');
  });

  it('drops invalid system packages', () =>
    expect(make({ systemPackages: ['libpq5', 'x; id', '-o=x'] }).dockerfile).toContain(
      '--no-install-recommends libpq5 && rm',
    ));

  it('allows only digits and dots in tags', () => {
    expect(versionTag('3.12.1', '3')).toBe('3.12.1');
    for (const version of evil) expect(versionTag(version, '3')).toBe('3');
  });
});

describe('project settings', () => {
  it('override detected commands', () => {
    const { dockerfile } = make(
      { installFiles: ['package.json'] },
      { installCommand: 'make deps', buildCommand: 'make', startCommand: './serve' },
    );
    expect(dockerfile).toContain('COPY . /app/\nRUN --mount=type=cache,id=p1-npm,target=/root/.npm make deps\n');
    expect(dockerfile).toContain('CMD ["./serve"]');
    expect(dockerfile).not.toContain('npm ci');
  });

  it('make a site with an output directory, a process with a start command', () => {
    expect(make({}, { outputDirectory: 'public' })).toMatchObject({ site: '/site' });
    expect(make({ startCommand: null, outputDirectory: 'dist' }, { startCommand: 'x' })).toMatchObject({ site: null });
    expect(generateDockerfile({ ...app, startCommand: null }, options)).toBeUndefined();
  });

  it('serve PHP by the given command, else by Apache', () => {
    const php = { language: 'php', startCommand: 'php -S 0.0.0.0:80 -t web' };
    expect(make(php).dockerfile).toContain('/var/www/html/web!');
    expect(make(php).dockerfile).toContain('CMD ["apache2-foreground"]');
    expect(make(php, { startCommand: 'php serve.php' }).dockerfile).toContain('CMD ["php", "serve.php"]');
  });

  it('pass build-time variables as arguments, and mount secrets', () => {
    const asked = { variables: ['API_URL'], secrets: ['NPM_TOKEN'] };
    expect(make({}, asked).dockerfile).toMatch(/\nARG API_URL\n[^]*--mount=type=secret,id=NPM_TOKEN/);
    expect(make({}, asked).dockerfile).not.toMatch(/(ARG|ENV).*NPM_TOKEN/);
  });

  it('build a workspace member in the workspace folder', () => {
    const found = { ...app, workspaceDirectory: 'js' };
    expect(buildContext(found, 'js/apps/web')).toEqual({ context: 'js', folder: 'apps/web' });
    expect(buildContext(app, 'backend')).toEqual({ context: 'backend', folder: '' });
    const { dockerfile } = make(
      { installFiles: ['package.json', 'apps/web/package.json', '.yarn/'] },
      { folder: 'apps/web' },
    );
    expect(dockerfile).toContain(
      'WORKDIR /app/apps/web\nCOPY package.json /app/\nCOPY apps/web/package.json /app/apps/web/\nCOPY .yarn/ /app/.yarn/\n',
    );
  });

  it('reject a site outside the source', () =>
    expect(() => make({ startCommand: null, outputDirectory: '../../etc' })).toThrow('cannot be used in a Dockerfile'));

  it('ignore files by language', () => {
    expect(make({ language: 'php', otherLanguages: ['javascript'] }).dockerignore).toMatch(/^\*\*\/node_modules$/m);
    expect(make({ language: 'constructor', packageManager: 'constructor' }).dockerignore).toContain('.git\n');
  });

  it('ignore a vendor folder only with Composer', () => {
    const ignoresVendor = (packageManager: string | null) =>
      make({ language: 'php', packageManager, installCommand: null }).dockerignore.split('\n').includes('vendor');
    expect([ignoresVendor('composer'), ignoresVendor(null)]).toEqual([true, false]);
  });

  it.each(['java', 'kotlin', 'scala'])('%s: ignore build outputs, but not packages of that name', (language) => {
    const rules = readIgnoreRules(make({ language, packageManager: 'gradle' }).dockerignore);
    const made = ['target', 'app/target/classes/A.class', 'services/api/target/api.jar'];
    if (language !== 'scala') made.push('build/libs/app.jar', 'app/build/tmp', 'services/api/build', 'app/.gradle/x');
    const sources = ['src/main/java/com/example/build/Plan.java', 'src/main/kotlin/build/A.kt', 'build.gradle'];
    sources.push('app/src/main/scala/target/T.scala', 'services/api/src/main/java/target/T.java');
    expect([made, sources].map((paths) => paths.filter((path) => !rules.ignores(path)))).toEqual([[], sources]);
  });
});

it('uses a tmpfs for the home, and for the cache of Next.js, with a read-only file system', () => {
  expect(make().readOnly.memory).toEqual(['/home/runner']);
  expect(make({ framework: 'next' }, { folder: 'web' }).readOnly.memory).toContain('/app/web/.next/cache');
});
