import { defineCommand } from '../../command.ts';
import { exitCodes, Failure, UsageError } from '../../errors.ts';
import { maintenanceOutput, maintenanceLines } from '../../maintenance.ts';
import { type Output, plainText } from '../../output.ts';
import { StatusLine } from '../../status-line.ts';

type Check = {
  version: string;
  latestVersion: string;
  isNewer: boolean;
  isOrdered: boolean;
  /** Why the versions have no order. */
  note: string | null;
  changelogUrl: string | null;
};

type Outcome = {
  state: 'updated' | 'went_back' | 'failed';
  from: string;
  to: string;
  reason: string | null;
  lines: string[];
  awayMs: number | null;
};

type Line =
  | { type: 'step'; phase: string; message: string }
  | { type: 'current'; version: string }
  | ({ type: 'outcome' } & Outcome);

export const update = defineCommand({
  name: 'update',
  summary: 'Update Mooring on this machine',
  description: [
    'Downloads the latest version, checks its signature, copies the database, and restarts the service. Apps keep',
    'serving. If the new version does not become healthy, the previous one is restored with its database. The update',
    'runs in the background: it goes on after Ctrl-C, and the same command follows it again. Needs root.',
  ].join('\n'),
  options: {
    check: { type: 'boolean', help: 'only print whether a newer version exists' },
    to: { type: 'string', value: '<version>', help: 'install this version, even an older one' },
    bundle: {
      type: 'string',
      value: '<file>',
      help: 'install a downloaded bundle, with its .sha256 and .sig beside it',
    },
    run: { type: 'boolean', hidden: true, help: 'run the updater; for mooring-update.service' },
  },
  async run({ values: { check, to, bundle, run }, out }) {
    if (run) return maintenanceLines((line) => process.stdout.write(`${line}\n`), 'update', '--run');
    if (check && (to ?? bundle)) throw new UsageError('--check cannot be combined with --to and --bundle');
    if (check) return printCheck(out);
    const options = [...(to ? [`--to=${to}`] : []), ...(bundle ? [`--bundle=${bundle}`] : [])];
    printOutcome(out, await followed(options));
  },
});

async function printCheck(out: Output): Promise<void> {
  const found = JSON.parse(await maintenanceOutput('update', '--check')) as Check;
  const { version, latestVersion, isNewer, isOrdered, note, changelogUrl } = found;
  out.print({ version, latestVersion, isNewer, isOrdered, changelogUrl }, () => {
    if (note !== null) return note;
    return isNewer
      ? `Mooring ${latestVersion} is available; ${version} is installed. Run: mooring update` +
          (changelogUrl ? `\nChanges: ${plainText(changelogUrl)}` : '')
      : `Mooring ${version} is the latest version.`;
  });
}

/** Shows the steps, and returns the last line. */
async function followed(options: string[]): Promise<Line> {
  const status = new StatusLine();
  let last: Line | undefined;
  const finishStep = () => {
    if (last?.type === 'step') status.print(`✓ ${plainText(last.message)}`);
  };
  await maintenanceLines(
    (text) => {
      const line = JSON.parse(text) as Line;
      const isSameStep = last?.type === 'step' && line.type === 'step' && last.phase === line.phase;
      status.clear();
      if (!isSameStep && !(line.type === 'outcome' && line.state === 'failed')) finishStep();
      last = line;
      if (line.type === 'step') status.set(`… ${line.message}`);
    },
    'update',
    ...options,
  ).finally(() => status.clear());
  return last!;
}

function printOutcome(out: Output, line: Line): void {
  if (line.type === 'step') throw new Failure('the update ended without an outcome');
  if (line.type === 'current')
    return out.print({ state: 'current', version: line.version }, () => `Mooring ${line.version} is up to date.`);
  const { state, from, to, reason, lines, awayMs } = line;
  if (out.json || state === 'updated')
    out.print({ state, from, to, reason, lines, awayMs }, () =>
      [updated(line), ...(reason ? [reason] : [])].join('\n'),
    );
  if (state === 'updated') return;
  if (out.json) {
    process.exitCode = exitCodes.failed;
    return;
  }
  for (const text of lines) out.note(`  ${plainText(text)}`);
  throw new Failure(state === 'went_back' ? `went back to ${from}, because ${reason}` : `${reason}; ${from} runs`);
}

const updated = ({ from, to, awayMs }: Outcome): string =>
  `Mooring was updated from ${from} to ${to}.${awayMs === null ? '' : ` The API was away for ${seconds(awayMs)}.`}`;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
