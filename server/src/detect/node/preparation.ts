import type { NodeApp } from './app.ts';
import { calledScripts } from './script-tools.ts';

type Step = {
  /** Tool and its arguments. */
  command: string;
  /** Scripts that already do it. */
  done: RegExp;
  isNeeded: (app: NodeApp) => boolean | Promise<boolean>;
};

/** Steps between install and build that some packages need and that sources leave to their platform. */
const steps: Step[] = [
  {
    command: 'prisma generate',
    done: /\bprisma (?:generate|migrate|db push)|\bzenstack generate/,
    isNeeded: async ({ pkg, tree }) =>
      pkg.allDependencies.has('prisma') &&
      ((await tree.read('prisma/schema.prisma')) ?? (await tree.read('schema.prisma'))) !== undefined,
  },
  {
    command: 'playwright install chromium',
    done: /\bplaywright install\b/,
    // Among the development dependencies it is for tests.
    isNeeded: ({ pkg: { dependencies } }) => dependencies.has('playwright') || dependencies.has('playwright-chromium'),
  },
];

/** Returns the commands that run before the build. */
export async function preparation(app: NodeApp): Promise<string[]> {
  const scripts = calledScripts(app.pkg.scripts).join('\n');
  const commands: string[] = [];
  for (const { command, done, isNeeded } of steps)
    if (!done.test(scripts) && (await isNeeded(app))) commands.push(`${app.manager.exec} ${command}`);
  return commands;
}
