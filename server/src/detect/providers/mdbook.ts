import type { Provider } from '../detect.ts';
import { plainPath } from '../plain-names.ts';
import { childRecord, textOrNull } from '../records.ts';
import { readToml } from '../toml.ts';

export const mdbook: Provider = {
  name: 'mdbook',
  looksFor: 'book.toml',
  async detect(tree) {
    const config = await readToml(tree, 'book.toml');
    if (!config) return undefined;
    const folder = plainPath(textOrNull(childRecord(config, 'build')['build-dir'])) ?? 'book';
    // With several outputs, each has its own folder.
    const output = Object.keys(childRecord(config, 'output')).length > 1 ? `${folder}/html` : folder;
    return {
      framework: 'mdbook',
      language: 'markdown',
      packageManager: 'mdbook',
      buildCommand: 'mdbook build',
      outputDirectory: output,
      reasons: [`book.toml: mdBook, built with \`mdbook build\`, served from ${output}`],
    };
  },
};
