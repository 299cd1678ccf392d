import type { Detection } from '../../detect/detect.ts';
import type { Toolchain } from '../dockerfile.ts';
import { beam } from './beam.ts';
import { bun } from './bun.ts';
import { compiled } from './compiled.ts';
import { deno } from './deno.ts';
import { dotnet } from './dotnet.ts';
import { go } from './go.ts';
import { jvm } from './jvm.ts';
import { node } from './node.ts';
import { pages } from './pages.ts';
import { php } from './php.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';
import { scripts } from './scripts.ts';

const toolchains: Toolchain[] = [
  bun,
  deno,
  node,
  python,
  go,
  rust,
  ruby,
  php,
  jvm,
  dotnet,
  beam,
  compiled,
  pages,
  scripts,
];

/**
 * Returns the toolchain of the language and package manager, else of the language. Unknown languages get a Debian
 * with a shell.
 */
export const toolchainFor = ({ language, packageManager }: Detection): Toolchain =>
  toolchains.find(({ languages }) => languages.includes(`${language}/${packageManager}`)) ??
  toolchains.find(({ languages }) => languages.includes(language ?? '')) ??
  scripts;
