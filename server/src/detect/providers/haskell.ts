import type { Provider } from '../detect.ts';
import { plainName } from '../plain-names.ts';
import { mapKeys, yamlScalar } from '../yaml-outline.ts';

export const haskell: Provider = {
  name: 'haskell',
  looksFor: 'stack.yaml',
  async detect(tree) {
    const names = await tree.list('');
    const cabalFile = names.find((name) => name.endsWith('.cabal'));
    const isStack = names.includes('stack.yaml');
    if (!isStack && !cabalFile) return undefined;
    const pkg = (await tree.read('package.yaml')) ?? '';
    const cabal = (cabalFile && (await tree.read(cabalFile))) ?? '';
    const named = /^executable\s+([\w.-]{1,80})/im.exec(cabal)?.[1] ?? mapKeys(pkg, 'executables')[0];
    const program = plainName(named) ?? (isStack ? plainName(`${yamlScalar(pkg, 'name') ?? ''}-exe`) : undefined);
    const [manager, build] = isStack
      ? ['stack', 'stack build --copy-bins --local-bin-path bin']
      : [
          'cabal',
          'cabal update && cabal install --install-method=copy --installdir=bin --overwrite-policy=always exe:*',
        ];
    const start = program ? `./bin/${program}` : null;
    return {
      framework: 'haskell',
      language: 'haskell',
      packageManager: manager,
      buildCommand: build.replace('exe:*', program ? `exe:${program}` : 'all:exes'),
      startCommand: start,
      port: start ? 3000 : null,
      reasons: [
        `${isStack ? 'stack.yaml' : cabalFile}: Haskell, ${start ? `started with \`${start}\`` : 'but it names no executable'}`,
      ],
    };
  },
};
