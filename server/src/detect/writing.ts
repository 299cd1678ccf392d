import { posix } from 'node:path';
import type { SourceTree } from './detect.ts';

const mostFolders = 500;
const mostFiles = 1500;
const mostCharacters = 16 * 1024 * 1024;

const skippedFolders =
  /^(\.|node_modules\/|vendor\/|venv\/|site-packages\/|__pycache__\/|(__)?tests?(__)?\/|spec\/|e2e\/|docs?\/|examples?\/|migrations\/)/;
const skippedFiles = /(\.d\.ts|[._-](test|spec)\.\w+|\.config\.\w+|\.min\.js)$|^test_/;
const manifests =
  /^(package\.json|requirements.*\.txt|pyproject\.toml|Pipfile|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(\.kts)?|schema\.prisma|application[\w-]*\.(properties|ya?ml)|\.env[\w.]*)$/;

/** Libraries that keep what they are given in files, or take files from visitors. */
const libraries =
  /sqlite|level(db|up)|rocksdb|lmdb|\bnedb|lowdb|tinydb|pocketbase|bolt\b|bbolt|badger|duckdb|\bsled\b|chroma|faiss|multer|formidable|busboy|file-?upload|multipart|strapi|payload|keystone|directus|\bghost\b|gradio|streamlit|daily-rotate|rotating|file-store|pino\/file|logging\.file/i;

/** Databases in a file for the JVM. Elsewhere `h2` is a heading. */
const jvmLibraries = /\bh2\b|hsqldb|derby/i;
const isJvm = /^(pom\.xml|build\.gradle(\.kts)?|application[\w-]*\.(properties|ya?ml))$|\.(java|kts?|groovy)$/;

/** Calls that write, by language. Too many are found rather than too few. */
const javascript =
  /(write|append|copy|truncate)File|create(Write|Append)Stream|mkdir|mkdtemp|rename(Sync)?\(|symlink|output(File|Json)|ensureDir|toFile\(|pino\.destination|tmpdir|Bun\.write|transports\.File|useStorage|revalidate|unstable_cache|["']use cache["']/;
const python =
  /\bopen\([^)\n]{0,200}["'][rwax]b?\+?["']|\.(write|save|to)_\w*\(|\.(write|save)\(|makedirs|shutil|tempfile|\b(dump|touch|mkdir)\(|FileHandler|shelve|UploadFile/;
const go =
  /\bos\.(Create|OpenFile|WriteFile|Mkdir|Rename|Remove|Symlink|TempDir)|ioutil\.(WriteFile|Temp)|FormFile|MultipartReader/;
const rust = /File::(create|options)|OpenOptions|fs::(write|create|copy|rename|remove)|tempfile/;
const jvm =
  /Files\.(write|create|copy|move|new\w*Writer|newOutput)|FileOutputStream|FileWriter|RandomAccessFile|transferTo|Multipart|\.(writeText|writeBytes|appendText|mkdirs?|createTempFile)\(|RollingFile/;
const shell = />\s*[\w./$"'{]|\b(tee|mkdir|cp|mv|touch)\b/;

const calls: Record<string, RegExp> = {
  ...Object.fromEntries('js mjs cjs jsx ts mts cts tsx vue svelte astro'.split(' ').map((each) => [each, javascript])),
  ...Object.fromEntries('java kt kts groovy'.split(' ').map((each) => [each, jvm])),
  py: python,
  go,
  rs: rust,
  sh: shell,
};

/** Why an app may write to its own folder while it runs, by a look through all of its source; undefined when nothing says so.
 * What its packages do is not looked at. */
export async function findWriting(tree: SourceTree): Promise<string | undefined> {
  const left = { folders: mostFolders, files: mostFiles, characters: mostCharacters };
  const tooLarge = 'the source is too large to look through';
  let looked = 0;
  for (let level = ['']; level.length;) {
    const below: string[] = [];
    for (const folder of level) {
      if (left.folders-- <= 0) return tooLarge;
      for (const name of await tree.list(folder)) {
        const path = posix.join(folder, name);
        if (name.endsWith('/') && !skippedFolders.test(name)) below.push(path.slice(0, -1));
        if (name.endsWith('/') || !(manifests.test(name) || callsOf(name))) continue;
        const text = (await tree.read(path)) ?? '';
        left.characters -= text.length;
        if (left.files-- <= 0 || left.characters < 0) return tooLarge;
        if (callsOf(name)) looked++;
        const sign = signIn(name, text);
        if (sign) return `${path} has ${JSON.stringify(sign.slice(0, 40))}`;
      }
    }
    level = below;
  }
  return looked ? undefined : 'nothing of its source can be looked through';
}

/** What its language writes with, if it is a source. */
const callsOf = (name: string): RegExp | undefined => {
  const extension = posix.extname(name).slice(1);
  return Object.hasOwn(calls, extension) && !skippedFiles.test(name) ? calls[extension] : undefined;
};

/** The part of the text that says so. Scripts of a package.json belong to the build. */
const signIn = (name: string, text: string): string | undefined =>
  (libraries.exec(text) ?? (isJvm.test(name) ? jvmLibraries.exec(text) : null) ?? callsOf(name)?.exec(text))?.[0];
