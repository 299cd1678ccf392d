import type { Provider } from '../detect.ts';

export const perl: Provider = {
  name: 'perl',
  looksFor: 'cpanfile',
  async detect(tree) {
    const names = await tree.list('');
    const hasModules = names.includes('cpanfile');
    const file = ['app.psgi', 'app.pl', 'server.pl', 'main.pl'].find((name) => names.includes(name));
    if (!file) return undefined;
    const source = (await tree.read(file)) ?? '';
    const isMojo = /Mojolicious/.test(source);
    const library = hasModules ? 'perl -Mlib=local/lib/perl5 ' : 'perl ';
    const start = isMojo
      ? `${library}${file} daemon -m production -l http://\${HOST:-0.0.0.0}:\${PORT:-3000}`
      : file.endsWith('.psgi')
        ? `plackup -I local/lib/perl5 -E production --host \${HOST:-0.0.0.0} --port \${PORT:-5000} ${file}`
        : library + file;
    return {
      framework: isMojo ? 'mojolicious' : 'perl',
      language: 'perl',
      packageManager: hasModules ? 'cpanm' : null,
      installCommand: hasModules ? 'cpanm --notest --local-lib-contained local --installdeps .' : null,
      installFiles: hasModules ? ['cpanfile', 'cpanfile.snapshot'].filter((name) => names.includes(name)) : [],
      startCommand: start,
      port: 3000,
      reasons: [`${file}: ${isMojo ? 'Mojolicious' : 'Perl'}, started with \`${start}\``],
    };
  },
};
