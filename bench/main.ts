import { backups } from './backups.ts';
import { cli } from './cli.ts';
import { deployments } from './deployments.ts';
import { docker } from './docker.ts';
import { detection } from './detection.ts';
import { edge } from './edge.ts';
import { compression } from './edge-site.ts';
import { foundation } from './foundation.ts';
import { githost } from './githost.ts';
import { migration } from './migration.ts';
import { peers } from './peers.ts';
import { pushes } from './pushes.ts';
import { redaction } from './redaction.ts';
import { simulate } from './simulate.ts';
import { soak } from './soak.ts';
import { ssh } from './ssh.ts';
import { stack } from './stack.ts';
import { storage } from './storage.ts';
import { printTable, type BenchmarkRow } from './table.ts';

/** Every benchmark by name; `npm run bench -- <name>` runs one. `peers` repeats some of the others, and
 * `simulate` and `soak` take minutes. */
const benchmarks: Record<string, () => Promise<BenchmarkRow[]>> = {
  foundation,
  cli,
  deployments,
  docker,
  detection,
  redaction,
  edge,
  'edge-site': compression,
  ssh,
  migration,
  storage,
  backups,
  githost,
  pushes,
  stack,
};

const known: typeof benchmarks = { ...benchmarks, peers, simulate, soak };
const wanted = process.argv.slice(2).filter((name) => name in known);
for (const name of wanted.length ? wanted : Object.keys(benchmarks)) printTable(name, await known[name]!());
