import type { Toolchain } from '../dockerfile.ts';
import { tag } from '../instructions.ts';

export const dotnetToolchain: Toolchain = {
  languages: ['csharp', 'fsharp', 'vb'],
  plan({ found }) {
    const version = tag(found.languageVersion, '9.0');
    return {
      build: { image: `mcr.microsoft.com/dotnet/sdk:${tag(found.packageManagerVersion, version)}` },
      run: { image: `mcr.microsoft.com/dotnet/aspnet:${version}` },
      caches: { nuget: '/root/.nuget/packages' },
      leftovers: ['bin', 'obj'],
    };
  },
};
