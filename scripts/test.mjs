// `npm test`: installs, checks types, style and generated files, builds, and runs the tests against the real parts.
// `--full` adds the long tests. `--fast` runs only the unit tests, and installs no real parts.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfNeeded } from './build.mjs';
import { fastTests } from './fast-tests.mjs';
import { installDependencies } from './install.mjs';
import { findNode24 } from './node24.mjs';
import { allParts, leftOut, setUpParts } from './parts.mjs';
import { root } from './paths.mjs';
import { fail, run } from './run.mjs';

const full = process.argv.includes('--full');
const fast = process.argv.includes('--fast');
const bin = (name) => join(root, 'node_modules', '.bin', name);

async function step(title, work) {
  const began = Date.now();
  process.stdout.write(`\n== ${title}\n`);
  const result = await work();
  console.log(`   ${title}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

/** Skips the type check of unchanged files. */
const incremental = (name) => [
  '--incremental',
  '--tsBuildInfoFile',
  join(root, 'node_modules/.cache/types', `${name}.tsbuildinfo`),
];

/** Both are written in Go. A sixth of their time goes into collecting garbage that the machine has room for. */
const checkEnv = { ...process.env, GOGC: '400' };

/** Runs beside the tests, in the time that they leave. */
async function check() {
  const nice = (file, args) => run('nice', ['-n', '15', file, ...args], { env: checkEnv });
  for (const [folder, name] of Object.entries({ '.': 'node', web: 'web' })) {
    // Each checker checks the common types again, and the tests need the other core.
    await nice(bin('tsc'), ['-p', folder, '--checkers', '1', ...(fast ? incremental(name) : [])]);
  }
  await nice(bin('oxlint'), ['--type-aware', '--deny-warnings']);
  await nice(bin('oxfmt'), ['--check', '.']);
  await nice(findNode24(), ['scripts/generate.mjs', '--check', '--here']);
}

/** Runs Vitest and returns its counts. Fails if a test failed. */
async function runTests(missing, files = []) {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-test-'));
  const report = join(folder, 'report.json');
  const env = { ...process.env, MOORING_TEST_MISSING: missing.join(','), ...(full && { MOORING_TEST_FULL: '1' }) };
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${report}`,
    ...files,
  ];
  try {
    const failure = await run(findNode24(), args, { env }).catch((error) => error);
    return { failure, counts: JSON.parse(readFileSync(report, 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await step('dependencies', () => installDependencies({ withTools: true }));
  const checks = step('types, style, generated files', check);
  // Reported at the end.
  checks.catch(() => {});
  const parts = fast ? allParts : step('real parts', () => setUpParts({ full }));
  const build = fast || step('build', buildIfNeeded);
  // So that no installation goes on after the end.
  await Promise.allSettled([parts, build]);
  const [missing] = await Promise.all([parts, build]);
  const chosen = fast ? fastTests() : undefined;
  const title = fast ? 'fast tests' : full ? 'all tests' : 'tests';
  const { failure, counts } = await step(title, () => runTests(missing, chosen?.fast));
  if (chosen)
    console.log(`LEFT OUT: ${chosen.others} test files beside the source and all of */test. npm test runs them.`);
  else for (const line of leftOut(missing)) console.log(line);
  console.log(`${counts.numPassedTests} passed, ${counts.numFailedTests} failed, ${counts.numPendingTests} skipped`);
  await checks;
  if (failure) fail(failure);
} catch (error) {
  fail(error);
}
