import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { defineCommand } from '../../command.ts';
import { activeRelease, environmentOption, production } from '../../deployments/find.ts';
import { Failure } from '../../errors.ts';
import { projectHere } from '../../folder/project-of-folder.ts';
import { signedInClient } from '../../instance.ts';

export const open = defineCommand({
  name: 'open',
  parameters: ['[project]'],
  summary: 'Print the address of a project and open it in the browser',
  description: 'Default: the project of this folder. Without a display, only prints the address.',
  options: { environment: environmentOption },
  async run({ args: [given], values, out, instance }) {
    const client = signedInClient(instance());
    const project = await projectHere(client, given);
    const active = await activeRelease(client, project.id, values.environment);
    const url = active?.urls[0];
    if (!url)
      throw new Failure(
        `${project.name} has no active release in ${values.environment || production}; deploy it with: mooring deploy`,
      );
    out.print({ id: project.id, url }, () => url);
    if (!out.json) await openInBrowser(url, (reason) => out.note(`The browser was not opened: ${reason}`));
  },
});

/** The program that opens a URL in the desktop's browser; undefined if there is none. */
export function openerOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  if (platform === 'darwin') return 'open';
  return platform === 'linux' && (env['DISPLAY'] || env['WAYLAND_DISPLAY']) ? 'xdg-open' : undefined;
}

async function openInBrowser(url: string, onFailure: (reason: string) => void): Promise<void> {
  const program = openerOf(process.platform, process.env);
  if (!program) return;
  const opener = spawn(program, [url], { stdio: 'ignore', detached: true });
  try {
    await once(opener, 'spawn');
    opener.unref();
  } catch (error) {
    onFailure((error as Error).message);
  }
}
