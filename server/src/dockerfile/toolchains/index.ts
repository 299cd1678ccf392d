import type { Detection } from '../../detect/detect.ts';
import type { Toolchain } from '../dockerfile.ts';
import { beamToolchain } from './beam.ts';
import { bunToolchain } from './bun.ts';
import { compiledToolchain } from './compiled.ts';
import { denoToolchain } from './deno.ts';
import { dotnetToolchain } from './dotnet.ts';
import { goToolchain } from './go.ts';
import { jvmToolchain } from './jvm.ts';
import { nodeToolchain } from './node.ts';
import { pagesToolchain } from './pages.ts';
import { phpToolchain } from './php.ts';
import { pythonToolchain } from './python.ts';
import { rubyToolchain } from './ruby.ts';
import { rustToolchain } from './rust.ts';
import { scriptsToolchain } from './scripts.ts';

const toolchains: Toolchain[] = [
  bunToolchain,
  denoToolchain,
  nodeToolchain,
  pythonToolchain,
  goToolchain,
  rustToolchain,
  rubyToolchain,
  phpToolchain,
  jvmToolchain,
  dotnetToolchain,
  beamToolchain,
  compiledToolchain,
  pagesToolchain,
  scriptsToolchain,
];

/**
 * Returns the toolchain of the language and package manager, else of the language. Unknown languages get a Debian
 * with a shell.
 */
export const toolchainFor = ({ language, packageManager }: Detection): Toolchain =>
  toolchains.find(({ languages }) => languages.includes(`${language}/${packageManager}`)) ??
  toolchains.find(({ languages }) => languages.includes(language ?? '')) ??
  scriptsToolchain;
