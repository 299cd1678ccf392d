import type { ProcessEnvironment } from '../../areas/instance/port.ts';
import type { Config } from '../../config.ts';
import { openDatabase } from '../../db/database.ts';
import { requireInstance } from '../require-instance.ts';
import { type DoctorCheck, type DoctorFinding, warningFinding } from './finding.ts';
import { checkBackup, checkDatabase, checkDisk, checkEngine, checkFiles, checkVersion } from './machine.ts';
import { checkDashboardCertificate, checkClock, checkDns } from './network.ts';
import { checkPorts, checkService } from './ports.ts';

const checks: Record<string, DoctorCheck> = {
  service: checkService,
  database: checkDatabase,
  ports: checkPorts,
  DNS: checkDns,
  certificate: checkDashboardCertificate,
  engine: checkEngine,
  disk: checkDisk,
  files: checkFiles,
  clock: checkClock,
  version: checkVersion,
  backup: checkBackup,
};

const marks = { ok: 'ok     ', warning: 'warning', problem: 'problem' };

/** Checks this machine and the instance on it. Changes nothing. */
export async function doctor(
  config: Config,
  environment: ProcessEnvironment,
): Promise<{ message: string; findings: DoctorFinding[] }> {
  requireInstance(config);
  const database = await openDatabase({ ...config, migrates: false }).catch(() => undefined);
  try {
    const found = await Promise.all(
      Object.entries(checks).map(([name, check]) =>
        check({ config, database, environment }).catch((error: Error) => [
          warningFinding(name, `it could not be checked: ${error.message}`),
        ]),
      ),
    );
    const findings = found.flat();
    const lines = findings.flatMap(({ check, level, message, fix }) => [
      `${marks[level]}  ${check}: ${message}`,
      ...(fix === undefined ? [] : [`         fix: ${fix}`]),
    ]);
    return { message: lines.join('\n'), findings };
  } finally {
    await database?.db.destroy();
  }
}
