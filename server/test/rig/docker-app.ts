import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { busyApp } from './busy-app.ts';
import { node } from './docker-images.ts';

/** A `busyApp` with its own Dockerfile, which runs the script `build`. */
export function dockerApp(version: string, options: Parameters<typeof busyApp>[1] = {}): string {
  const folder = busyApp(version, options);
  const build = options.scripts?.['build'];
  const lines = [
    `FROM ${node.name}`,
    'WORKDIR /app',
    'COPY . .',
    ...(build ? [`RUN ${build}`] : []),
    'USER node',
    'CMD ["node", "server.js"]',
  ];
  writeFileSync(join(folder, 'Dockerfile'), `${lines.join('\n')}\n`);
  return folder;
}
