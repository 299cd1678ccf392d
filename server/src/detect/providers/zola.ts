import type { Provider } from '../detect.ts';
import { plainPath } from '../plain-names.ts';
import { textOrNull } from '../records.ts';
import { readToml } from '../toml.ts';

export const zola: Provider = {
  name: 'zola',
  looksFor: 'config.toml',
  async detect(tree) {
    const names = new Set(await tree.list(''));
    for (const file of ['zola.toml', 'config.toml']) {
      const config = await readToml(tree, file);
      if (!config || textOrNull(config['base_url']) === null || !(names.has('content/') || names.has('templates/')))
        continue;
      const output = plainPath(textOrNull(config['output_dir'])) ?? 'public';
      return {
        framework: 'zola',
        language: 'markdown',
        packageManager: 'zola',
        buildCommand: 'zola build',
        outputDirectory: output,
        reasons: [`${file}: Zola, built with \`zola build\`, served from ${output}`],
      };
    }
    return undefined;
  },
};
