// Writes `expect.json` beside each compose file with Docker Compose's own result, and its errors for invalid files.
// Run it manually after adding a case: node server/test/compose/record-goldens.ts /path/to/docker-compose [case...]
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caseNames, caseOptions, filesFolder } from './cases.ts';
import { refusals } from './refusals.ts';

const [program, ...chosen] = process.argv.slice(2);
if (!program) throw new Error('the path of docker-compose is needed');

/** Replaces paths of this machine by placeholders, so that the goldens are portable. */
function record(name: string): string {
  const scratch = mkdtempSync(join(tmpdir(), 'compose-golden-'));
  try {
    const source = join(scratch, 'above', name);
    cpSync(join(filesFolder, name), source, { recursive: true });
    const { environment = {}, profiles = [], files = [] } = caseOptions(name);
    const args = [...files.flatMap((file) => ['-f', file]), ...profiles.flatMap((profile) => ['--profile', profile])];
    const { stdout, stderr, status } = spawnSync(program!, [...args, 'config', '--format', 'json'], {
      cwd: source,
      env: { HOME: '/home/somebody', PATH: '/usr/bin:/bin', ...environment },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
    return stdout.replaceAll(source, '<source>').replaceAll(join(scratch, 'above'), '<above>');
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function refusal(title: string): string {
  const scratch = mkdtempSync(join(tmpdir(), 'compose-refusal-'));
  try {
    writeFileSync(join(scratch, 'compose.yaml'), refusals[title]!);
    const { stderr, status } = spawnSync(program!, ['config', '--format', 'json'], {
      cwd: scratch,
      env: { HOME: '/home/somebody', PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
    });
    if (status === 0) throw new Error(`${title}: is not refused`);
    const lines = stderr.split('\n').filter((line) => line && !line.includes('level=warning'));
    const sentence = lines.join(' ').replaceAll(`${scratch}/`, '');
    // It names either one of two conflicting services.
    return sentence.replace(/^services\.[ab]: /, '').slice(0, 200);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const said = Object.fromEntries(Object.keys(refusals).map((title) => [title, refusal(title)]));
writeFileSync(join(import.meta.dirname, 'refusals.json'), `${JSON.stringify(said, null, 2)}\n`);

for (const name of chosen.length ? chosen : caseNames()) {
  const path = join(filesFolder, name, 'expect.json');
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const now = `${record(name).trimEnd()}\n`;
  writeFileSync(path, now);
  process.stdout.write(`${name}${before && before !== now ? ' (changed)' : ''}\n`);
}
