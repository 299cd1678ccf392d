import type { DetectFinding, Provider, SourceTree } from '../detect.ts';
import { toolVersions } from '../language-version.ts';
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
      const version = await hugoVersion(tree);
      const usesModules = /^[ \t]*(\[+module\b|module:)|"module"/m.test(source) || names.has('go.mod');
      return {
        ...version,
        framework: 'hugo',
        language: 'markdown',
        packageManager: 'hugo',
        buildCommand: 'hugo --gc --minify',
        outputDirectory: output,
        buildPackages: version.languageVersion && usesModules ? ['golang-go'] : [],
        reasons: [
          ...(version.reasons ?? []),
          `${file}: Hugo, built with \`hugo --gc --minify\`, served from ${output}`,
        ],
      };
    }
    return undefined;
  },
};

const versionPattern =
  /\bHUGO[_-]VERSION\b["']?\s{0,9}[:=]?\s{0,20}(?:value:\s{0,9})?["']?(?:extended_)?v?(\d+\.\d+\.\d+)/i;

/** Themes work with few versions of Hugo, so sites name theirs where they are built. */
async function hugoVersion(tree: SourceTree): Promise<DetectFinding> {
  const workflows = (await tree.list('.github/workflows')).filter((name) => /^[\w.-]+\.ya?ml$/.test(name)).slice(0, 10);
  const files = ['netlify.toml', 'vercel.json', 'render.yaml', ...workflows.map((name) => `.github/workflows/${name}`)];
  const signs = (await toolVersions(tree, 'hugo', 'gohugo', 'hugo-extended')).map(({ wanted, from }) => ({
    version: /^(?:extended_)?v?(\d+\.\d+\.\d+)/.exec(wanted ?? '')?.[1],
    from,
  }));
  for (const from of files) signs.push({ version: versionPattern.exec((await tree.read(from)) ?? '')?.[1], from });
  const found = signs.find(({ version }) => version !== undefined);
  return found ? { languageVersion: found.version!, reasons: [`${found.from}: Hugo ${found.version}`] } : {};
}
