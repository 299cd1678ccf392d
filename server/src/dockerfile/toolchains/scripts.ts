import type { Plan, Toolchain } from '../dockerfile.ts';
import { debian } from './debian.ts';

const same = (image: string, packages: string[] = []): Plan => ({
  build: { image, packages },
  run: { image, packages },
});

const plans: Record<string, () => Plan> = {
  lua: () => same(debian, ['ca-certificates', 'gcc', 'libc6-dev', 'lua5.4', 'liblua5.4-dev', 'luarocks', 'unzip']),
  perl: () => ({ build: { image: 'perl:5.40' }, run: { image: 'perl:5.40-slim' } }),
  shell: () => same(debian, ['ca-certificates', 'curl']),
};

/** Scripts that are run as they are. */
export const scripts: Toolchain = {
  languages: Object.keys(plans),
  plan: ({ found: { language } }) => plans[language && Object.hasOwn(plans, language) ? language : 'shell']!(),
};
