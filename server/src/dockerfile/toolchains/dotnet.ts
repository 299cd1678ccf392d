import type { Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';

export const dotnetToolchain: Toolchain = {
  languages: ['csharp', 'fsharp', 'vb'],
  plan({ found }) {
    const version = versionTag(found.languageVersion, '9.0');
    return {
      build: { image: `mcr.microsoft.com/dotnet/sdk:${versionTag(found.packageManagerVersion, version)}` },
      run: { image: `mcr.microsoft.com/dotnet/aspnet:${version}` },
      caches: { nuget: '/root/.nuget/packages' },
      leftovers: ['bin', 'obj'],
    };
  },
};
