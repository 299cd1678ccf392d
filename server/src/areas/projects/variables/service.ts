import { type Db, inTransaction, type Sql } from '../../../db/database.ts';
import type { ProjectTable, ProjectVariableTable } from '../../../db/tables.ts';
import { badRequest } from '../../../errors.ts';
import { isoTime } from '../../../http/responses.ts';
import type { Caller } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { recordAudit } from '../../access/port.ts';
import { lockProject, selectProject } from '../projects/store.ts';
import { visibleProject } from '../projects/visible.ts';
import { fitInEnvironment, maxVariables, type VariableChanges } from './schemas.ts';
import { deleteVariable, insertVariable, selectVariables, selectVariablesOfKnown, updateVariable } from './store.ts';

export type VariableValue = { key: string; value: string; secret: boolean; buildTime: boolean };
type Change = VariableChanges[string];

export class Variables {
  readonly #db: Db;
  readonly #sealer: Sealer;

  constructor(db: Db, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
  }

  async list(caller: Caller, projectId: string) {
    const { organizationId } = await visibleProject(this.#db, caller, projectId, 'read');
    return this.#shown(await selectVariables(this.#db, organizationId, projectId));
  }

  /** Sets and removes variables, all or nothing. */
  change(caller: Caller, projectId: string, changes: VariableChanges) {
    return inTransaction(this.#db, async (trx) => {
      await lockProject(trx, caller.organization.id, projectId);
      const project = await visibleProject(trx, caller, projectId, 'write');
      const before = await selectVariables(trx, project.organizationId, projectId);
      const done = { set: [] as string[], removed: [] as string[] };
      for (const [key, change] of Object.entries(changes)) {
        const existing = before.find((row) => row.key === key);
        if (change !== null) {
          await this.#set(trx, project, key, existing, change);
          done.set.push(key);
        } else if (existing) {
          await deleteVariable(trx, project.organizationId, existing.id);
          done.removed.push(key);
        }
      }
      const after = await selectVariables(trx, project.organizationId, projectId);
      if (after.length > maxVariables)
        throw badRequest(`variables: a project has at most ${maxVariables}`, 'variables');
      if (!fitInEnvironment(after.map((row) => ({ key: row.key, value: this.#open(row) }))))
        throw badRequest('variables must have at most 1 MB together', 'variables');
      // Names only: readers of the audit log may not be allowed to see values.
      const details = { set: done.set.join(', '), removed: done.removed.join(', ') };
      if (done.set.length || done.removed.length)
        await recordAudit(trx, project.organizationId, caller, {
          action: 'project.variables_changed',
          target: project,
          details,
        });
      return this.#shown(after);
    });
  }

  /** Makes these secret variables of a project unless it has them, for a deployment. Returns their values. */
  keep(
    { organizationId, projectId, createdBy }: { organizationId: string; projectId: string; createdBy: string },
    values: Readonly<Record<string, string>>,
  ): Promise<Record<string, string>> {
    return inTransaction(this.#db, async (trx) => {
      await lockProject(trx, organizationId, projectId);
      const project = await selectProject(trx, organizationId, projectId);
      if (!project) throw badRequest('this project was deleted');
      const before = await selectVariables(trx, organizationId, projectId);
      const known = new Map(before.map((row) => [row.key, row]));
      const missing = Object.entries(values).filter(([key]) => !known.has(key));
      if (before.length + missing.length > maxVariables)
        throw badRequest(`variables: a project has at most ${maxVariables}`, 'variables');
      for (const [key, value] of missing) await this.#set(trx, project, key, undefined, { value, secret: true });
      const actor = { userId: createdBy, email: 'a deployment', ip: '' };
      const details = { set: missing.map(([key]) => key).join(', '), removed: '' };
      if (missing.length)
        await recordAudit(trx, organizationId, actor, {
          action: 'project.variables_changed',
          target: project,
          details,
        });
      const kept = Object.entries(values).map(([key, value]) => {
        const row = known.get(key);
        return [key, row ? this.#open(row) : value];
      });
      return Object.fromEntries(kept) as Record<string, string>;
    });
  }

  /** Returns variables with secret values, to build and run; must not be part of a response. */
  async valuesOf(sql: Sql, projectId: string): Promise<VariableValue[]> {
    const rows = await selectVariablesOfKnown(sql, projectId);
    return rows.map((row) => ({
      key: row.key,
      value: this.#open(row),
      secret: row.isSecret === 1,
      buildTime: row.buildTime === 1,
    }));
  }

  async #set(
    sql: Sql,
    { id: projectId, organizationId }: ProjectTable,
    key: string,
    existing: ProjectVariableTable | undefined,
    change: NonNullable<Change>,
  ): Promise<void> {
    const { value, secret, buildTime } = typeof change === 'string' ? { value: change } : change;
    const field = `variables.${key}`;
    if (value === undefined && !existing) throw badRequest(`${field}.value is required`, `${field}.value`);
    if (value === undefined && existing?.isSecret && secret === false)
      throw badRequest(`${field}.value is required to make a secret readable`, `${field}.value`);
    const id = existing?.id ?? newId('var');
    const row = {
      id,
      organizationId,
      projectId,
      key,
      value: value === undefined ? existing!.value : this.#sealer.seal(value, placeOf(id)),
      isSecret: flag(secret, existing?.isSecret),
      buildTime: flag(buildTime, existing?.buildTime),
      updatedAt: Date.now(),
    };
    await (existing ? updateVariable(sql, row) : insertVariable(sql, row));
  }

  #shown(rows: ProjectVariableTable[]) {
    return rows.map((row) => ({
      key: row.key,
      value: row.isSecret ? null : this.#open(row),
      secret: row.isSecret === 1,
      buildTime: row.buildTime === 1,
      updatedAt: isoTime(row.updatedAt),
    }));
  }

  #open({ id, value }: ProjectVariableTable): string {
    return this.#sealer.open(value, placeOf(id));
  }
}

const placeOf = (row: string) => ({ table: 'project_variables', column: 'value', row });

const flag = (wanted: boolean | undefined, before: number | undefined): number =>
  wanted === undefined ? (before ?? 0) : wanted ? 1 : 0;
