// An S3 with IAM for the tests.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './apt.mjs';
import { unpackFromSid } from './from-sid.mjs';
import { root } from './paths.mjs';

const folder = join(root, 'node_modules/.cache/moto');
const names = 'moto botocore boto3 s3transfer jmespath responses werkzeug flask flask-cors antlr4 itsdangerous blinker';
const packages = names.split(' ').map((name) => `python3-${name}`);

/** Dependencies that the system's own suite has. */
export const motoPackages = 'cryptography requests urllib3 xmltodict jinja2 click dateutil yaml'
  .split(' ')
  .map((name) => `python3-${name}`);
export const motoLibraries = join(folder, 'usr/lib/python3/dist-packages');

/** Whether it is installed and works with this machine's Python. */
export const hasMoto = () =>
  existsSync(motoLibraries) &&
  spawnSync('python3', ['-c', 'import moto.server'], { env: { PYTHONPATH: motoLibraries } }).status === 0;

export async function installMoto() {
  await installPackages(motoPackages);
  await unpackFromSid(folder, packages);
}
