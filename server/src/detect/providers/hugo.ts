import type { Provider } from '../detect.ts';
import { plainPath } from '../plain-names.ts';

const configs = [
  'hugo.toml',
  'hugo.yaml',
  'hugo.yml',
  'hugo.json',
  'config.toml',
  'config.yaml',
  'config.yml',
  'config.json',
  'config/_default/hugo.toml',
  'config/_default/config.toml',
];

export const hugo: Provider = {
  name: 'hugo',
  looksFor: 'hugo.toml',
  async detect(tree) {
    const names = new Set(await tree.list(''));
    for (const file of configs) {
      const source = await tree.read(file);
      // The older config name is ambiguous: the folders of a Hugo site decide.
      const isHugo =
        file.includes('hugo') ||
        (/\bbaseurl\b/i.test(source ?? '') &&
          ['content/', 'archetypes/', 'layouts/', 'themes/'].some((name) => names.has(name)));
      if (source === undefined || !isHugo) continue;
      const output =
        plainPath(/^[ \t]*["']?publishDir["']?\s*[:=]\s*["']?([\w./-]{1,100})/im.exec(source)?.[1]) ?? 'public';
      return {
        framework: 'hugo',
        language: 'markdown',
        packageManager: 'hugo',
        buildCommand: 'hugo --gc --minify',
        outputDirectory: output,
        reasons: [`${file}: Hugo, built with \`hugo --gc --minify\`, served from ${output}`],
      };
    }
    return undefined;
  },
};
