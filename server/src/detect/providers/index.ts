import type { Provider } from '../detect.ts';
import { clojure } from './clojure.ts';
import { cobol } from './cobol.ts';
import { cpp } from './cpp.ts';
import { crystal } from './crystal.ts';
import { dart } from './dart.ts';
import { deno } from './deno.ts';
import { dotnet } from './dotnet.ts';
import { elixir } from './elixir.ts';
import { erlang } from './erlang.ts';
import { gleam } from './gleam.ts';
import { go } from './go.ts';
import { gradle } from './gradle.ts';
import { haskell } from './haskell.ts';
import { hugo } from './hugo.ts';
import { jekyll } from './jekyll.ts';
import { lua } from './lua.ts';
import { maven } from './maven.ts';
import { mdbook } from './mdbook.ts';
import { nim } from './nim.ts';
import { node } from './node.ts';
import { nx } from './nx.ts';
import { ocaml } from './ocaml.ts';
import { perl } from './perl.ts';
import { phpApp } from './php.ts';
import { pythonSites } from './python-sites.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';
import { scala } from './scala.ts';
import { shell } from './shell.ts';
import { staticSite } from './static.ts';
import { swift } from './swift.ts';
import { zig } from './zig.ts';
import { zola } from './zola.ts';

/**
 * In this order; the first that can start or serve the tree wins. Languages whose apps use a package.json for assets
 * come before Node.js, documentation sites after it; pages and scripts are weak signs and come last.
 */
export const providers: Provider[] = [
  phpApp,
  go,
  maven,
  gradle,
  scala,
  clojure,
  rust,
  ruby,
  elixir,
  erlang,
  python,
  deno,
  dotnet,
  nx,
  node,
  gleam,
  dart,
  swift,
  haskell,
  crystal,
  nim,
  zig,
  ocaml,
  lua,
  perl,
  cobol,
  hugo,
  zola,
  mdbook,
  pythonSites,
  jekyll,
  cpp,
  staticSite,
  shell,
];
