import type { Provider } from '../detect.ts';

const modules = 'perl -Mlib=local/lib/perl5';

export const perl: Provider = {
  name: 'perl',
  looksFor: 'cpanfile',
  async detect(tree) {
    const names = await tree.list('');
    const hasList = names.includes('cpanfile');
    const file = ['app.psgi', 'app.pl', 'server.pl', 'main.pl'].find((name) => names.includes(name));
    if (!file) return undefined;
    const isMojo = /Mojolicious/.test((await tree.read(file)) ?? '');
    const isPsgi = !isMojo && file.endsWith('.psgi');
    const server = isMojo ? 'Mojolicious' : isPsgi ? 'Plack' : undefined;
    const listed = ((await tree.read('cpanfile')) ?? '').slice(0, 100_000);
    // The server is not part of Perl, so it is installed even if it is not listed.
    const added = server && !listed.includes(server) ? server : undefined;
    const install = [hasList ? '--installdeps .' : undefined, added]
      .filter((each) => each !== undefined)
      .map((what) => `cpanm --notest --local-lib-contained local ${what}`)
      .join(' && ');
    const perlProgram = install ? modules : 'perl';
    const start = isMojo
      ? `${perlProgram} ${file} daemon -m production -l http://\${HOST:-0.0.0.0}:\${PORT:-3000}`
      : isPsgi
        ? `${modules} local/bin/plackup -E production --host \${HOST:-0.0.0.0} --port \${PORT:-5000} ${file}`
        : `${perlProgram} ${file}`;
    return {
      framework: isMojo ? 'mojolicious' : 'perl',
      language: 'perl',
      packageManager: install ? 'cpanm' : null,
      installCommand: install || null,
      installFiles: hasList ? ['cpanfile', 'cpanfile.snapshot'].filter((name) => names.includes(name)) : [],
      startCommand: start,
      port: isPsgi ? 5000 : 3000,
      reasons: [
        `${file}: ${isMojo ? 'Mojolicious' : 'Perl'}, started with \`${start}\`${added ? `, with ${added}, which the app does not list` : ''}`,
      ],
    };
  },
};
