import type { Toolchain } from '../dockerfile.ts';

export const deno: Toolchain = {
  languages: ['typescript/deno'],
  plan({ found: { languageVersion } }) {
    // Its image has tags for whole versions only, and one for the newest.
    const exact = /^\d+\.\d+\.\d+$/.test(languageVersion ?? '') ? `-${languageVersion}` : '';
    // What it has fetched is not beside the source but in a folder of its own, which has to come along.
    const base = { image: `denoland/deno:debian${exact}`, environment: { DENO_DIR: '/app/.deno' } };
    return { build: base, run: base };
  },
};
