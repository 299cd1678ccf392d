import type { SourceTree } from '../detect.ts';
import { appEngine } from './app-engine.ts';
import { nixpacks, railpack, railway } from './builders.ts';
import { withoutScripts } from './commands.ts';
import { fly } from './fly.ts';
import { appJson, aptfile, buildpacks, herokuYml, procfile } from './heroku.ts';
import { render } from './render.ts';
import type { PlatformSettings, ReadPlatformFile } from './settings.ts';
import { netlify, vercel } from './sites.ts';

/** In order of precedence. Settings for sites come last: they often describe only the frontend. */
const readers: Record<string, ReadPlatformFile> = {
  'railpack.json': railpack,
  'nixpacks.toml': nixpacks,
  'nixpacks.json': nixpacks,
  'railway.json': railway,
  'railway.toml': railway,
  'render.yaml': render,
  'fly.toml': fly,
  'heroku.yml': herokuYml,
  Procfile: procfile,
  'app.yaml': appEngine,
  'app.json': appJson,
  Aptfile: aptfile,
  '.buildpacks': buildpacks,
  'vercel.json': vercel,
  'netlify.toml': netlify,
};

/** Reads the settings for other platforms in a folder. */
export async function platformSettings(tree: SourceTree): Promise<PlatformSettings[]> {
  const names = new Set(await tree.list(''));
  const found: PlatformSettings[] = [];
  for (const [file, read] of Object.entries(readers))
    if (names.has(file)) {
      const { build = [], ...settings } = await read(tree, file);
      found.push({ file, ...settings, build: await withoutScripts(tree, build) });
    }
  return found;
}
