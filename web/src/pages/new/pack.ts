import {
  ignoreFiles,
  IgnoreRules,
  isEnvFile,
  neverUploaded,
  parseIgnoreFile,
  tarEnd,
  tarHeader,
  tarPadding,
} from '@mooring/client/folder';
import { type PickedFile, withoutTopFolder } from './picked-files.ts';

/** The upload: a gzipped tar, and the files that were excluded. */
export type Packed = { archive: Blob; files: number; leftOut: string[] };

const isTarball = (name: string) => /\.(tar\.gz|tgz)$/i.test(name);
const isZip = (name: string) => /\.zip$/i.test(name);

/** Packs a folder, or repacks an archive. */
export async function packPicked(picked: readonly PickedFile[]): Promise<Packed> {
  const [only] = picked;
  if (!only) throw new Error('There are no files in it.');
  if (picked.length === 1 && isTarball(only.file.name)) return { archive: only.file, files: 1, leftOut: [] };
  if (picked.length === 1 && isZip(only.file.name)) return packFiles(await unzipped(only.file));
  return packFiles(picked);
}

/** Packs text files, such as a typed compose file. */
export const packTexts = (texts: Record<string, string>): Promise<Packed> =>
  packFiles(Object.entries(texts).map(([path, text]) => ({ path, file: new File([text], path) })));

async function unzipped(archive: File): Promise<PickedFile[]> {
  const { unzip } = await import('fflate');
  const bytes = new Uint8Array(await archive.arrayBuffer());
  const files = await new Promise<Record<string, Uint8Array>>((resolve, reject) => {
    unzip(bytes, (error, found) => (error ? reject(new Error('The .zip file cannot be read.')) : resolve(found)));
  });
  const names = Object.keys(files).filter((path) => !path.endsWith('/') && !path.startsWith('__MACOSX/'));
  return withoutTopFolder(names.map((path) => ({ path, file: new File([files[path] as BlobPart], path) })));
}

async function packFiles(picked: readonly PickedFile[]): Promise<Packed> {
  const rules = await rulesIn(picked);
  const leftOut = picked.filter(({ path }) => isEnvFile(path.split('/').at(-1)!)).map(({ path }) => path);
  const kept = picked.filter(({ path }) => !leftOut.includes(path) && !isIgnored(rules, path));
  if (!kept.length) throw new Error('There are no files in it.');
  const parts: BlobPart[] = [];
  for (const { path, file } of kept.toSorted((one, other) => (one.path < other.path ? -1 : 1)))
    // Browsers do not expose the executable bit.
    parts.push(tarHeader({ type: 'file', path, size: file.size, mode: 0o755 }), file, tarPadding(file.size));
  const tar = new Blob([...parts, tarEnd()]);
  const archive = await new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob();
  return { archive, files: kept.length, leftOut };
}

async function rulesIn(picked: readonly PickedFile[]): Promise<IgnoreRules> {
  let rules = new IgnoreRules();
  const files = picked.filter(({ path }) => ignoreFiles.includes(path.split('/').at(-1)!));
  for (const { path, file } of files.toSorted(
    (one, other) => one.path.split('/').length - other.path.split('/').length,
  ))
    rules = rules.with(path.split('/').slice(0, -1).join('/'), parseIgnoreFile(await file.text()));
  return rules;
}

/** Whether a rule matches the path or a parent folder. */
function isIgnored(rules: IgnoreRules, path: string): boolean {
  const names = path.split('/');
  if (names.some((name) => neverUploaded.has(name))) return true;
  return names.some((_, index) => rules.ignores(names.slice(0, index + 1).join('/'), index < names.length - 1));
}
