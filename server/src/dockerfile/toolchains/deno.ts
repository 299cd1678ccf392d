import type { Toolchain } from '../dockerfile.ts';

export const denoToolchain: Toolchain = {
  languages: ['typescript/deno'],
  plan({ found: { languageVersion } }) {
    // The image has tags for full versions only, and one for the latest.
    const exact = /^\d+\.\d+\.\d+$/.test(languageVersion ?? '') ? `-${languageVersion}` : '';
    // Fetched modules are in a separate folder, which has to be copied as well.
    const base = { image: `denoland/deno:debian${exact}`, environment: { DENO_DIR: '/app/.deno' } };
    return { build: base, run: base };
  },
};
