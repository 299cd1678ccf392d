import type { Provider } from '../detect.ts';

export const shell: Provider = {
  name: 'shell',
  looksFor: 'start.sh',
  isWeak: true,
  async detect(tree) {
    const names = await tree.list('');
    const file = ['start.sh', 'run.sh', 'main.sh', 'app.sh'].find((name) => names.includes(name));
    if (!file) return undefined;
    // Uses the interpreter of the first line, even if the file is not executable.
    const interpreter =
      /^#!\s*\/(?:usr\/)?bin\/(?:env\s+)?(bash|zsh|dash|sh)\b/.exec((await tree.read(file)) ?? '')?.[1] ?? 'sh';
    return {
      framework: 'shell',
      language: 'shell',
      startCommand: `${interpreter} ${file}`,
      port: 3000,
      reasons: [`${file}: a script, started with \`${interpreter} ${file}\``],
    };
  },
};
