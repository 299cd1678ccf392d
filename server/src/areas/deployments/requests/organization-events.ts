import type { Db } from '../../../db/database.ts';
import { tenant } from '../../../db/tenant.ts';
import type { Caller } from '../../../http/caller.ts';
import { type EventStream, eventText, SharedEvents } from '../../../http/sse.ts';
import { canSee } from '../../access/port.ts';

const lookMs = 1000;
/** A finished deployment can still change: it is pinned, replaced or gets a warning. */
const recentMs = 10 * 60_000;
const mostChanges = 100;

type Open = (again: (now: Caller) => Promise<unknown>) => EventStream;

/** An event and its project; null if it concerns no project. */
type News = { event: 'deployment' | 'backup_policy' | 'change'; projectId: string | null; data: object };

/**
 * Streams the changes of an organization to its clients, so that pages need not poll. All clients share one database
 * poll per second, which also sees the changes of other replicas. Nothing is buffered: a client that reconnects
 * reloads what it shows.
 */
export class OrganizationEvents {
  readonly #db: Db;
  readonly #warn: (message: string) => void;
  readonly #streams = new Map<string, OrganizationStream>();

  constructor(db: Db, warn: (message: string) => void) {
    [this.#db, this.#warn] = [db, warn];
  }

  /** Streams until the client disconnects. */
  async follow(caller: Caller, open: Open): Promise<void> {
    const { id } = caller.organization;
    let shared = this.#streams.get(id);
    if (!shared) {
      shared = new OrganizationStream(this.#db, id, this.#warn, () => this.#streams.delete(id));
      this.#streams.set(id, shared);
    }
    await shared.join(caller, open);
  }
}

class OrganizationStream {
  readonly #db: Db;
  readonly #organizationId: string;
  readonly #warn: (message: string) => void;
  readonly #onEmpty: () => void;
  readonly #viewers = new Map<EventStream, Caller>();
  #deployments: Map<string, string> | undefined;
  #policies: Map<string, string> | undefined;
  #lastChange: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #first: Promise<void> | undefined;
  #sent = 0;

  constructor(db: Db, organizationId: string, warn: (message: string) => void, onEmpty: () => void) {
    [this.#db, this.#organizationId, this.#warn, this.#onEmpty] = [db, organizationId, warn, onEmpty];
  }

  /** A client misses nothing after its `ready` event. */
  async join(caller: Caller, open: Open): Promise<void> {
    await (this.#first ??= this.#look()).catch((error: unknown) => {
      this.#first = undefined;
      throw error;
    });
    // Grants may change while the stream is open.
    const stream = open(async (now) => void (this.#viewers.has(stream) && this.#viewers.set(stream, now)));
    this.#viewers.set(stream, caller);
    this.#timer ??= setInterval(() => void this.#lookAgain(), lookMs);
    stream.send({ id: this.#sent, event: 'ready', data: {} });
    await new Promise<void>((resolve) => {
      if (stream.closed.aborted) resolve();
      else stream.closed.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#viewers.delete(stream);
    if (this.#viewers.size) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#onEmpty();
  }

  #isLooking = false;
  async #lookAgain(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    // If the database is away for a moment, the next poll catches up.
    await this.#look().catch((error: Error) => this.#warn(`changes of ${this.#organizationId}: ${error.message}`));
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    const news = [
      ...(await this.#changedDeployments()),
      ...(await this.#changedPolicies()),
      ...(await this.#newChanges()),
    ];
    for (const { event, projectId, data } of news) {
      const events = new SharedEvents(eventText({ id: ++this.#sent, event, data }));
      for (const [stream, caller] of this.#viewers) if (mayHear(caller, projectId)) stream.sendShared(events);
    }
  }

  async #changedDeployments(): Promise<News[]> {
    const rows = await tenant(this.#db, this.#organizationId)
      .select('deployments')
      .select(['id', 'projectId', 'environment', 'status', 'decision', 'active', 'pinned', 'lastSeq'])
      .where((eb) =>
        eb.or([eb('finishedAt', 'is', null), eb('finishedAt', '>', Date.now() - recentMs), eb('active', '=', 1)]),
      )
      .execute();
    const before = this.#deployments;
    this.#deployments = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
    if (!before) return [];
    return rows
      .filter((row) => before.get(row.id) !== JSON.stringify(row))
      .map(({ id, projectId, environment, status, decision, active, pinned, lastSeq }) => {
        const state = { status, decision, active: active === 1, pinned: pinned === 1, lastSeq };
        return { event: 'deployment', projectId, data: { id, projectId, environment, ...state } };
      });
  }

  /** Backup policies whose health has changed. The scheduler of backups records it, also when nobody listens. */
  async #changedPolicies(): Promise<News[]> {
    const rows = await tenant(this.#db, this.#organizationId)
      .select('backup_policies')
      .select(['id', 'name', 'projectId', 'environment', 'reportedHealth'])
      .execute();
    const before = this.#policies;
    this.#policies = new Map(rows.map(({ id, reportedHealth }) => [id, reportedHealth]));
    if (!before) return [];
    return rows
      .filter(({ id, reportedHealth }) => (before.get(id) ?? 'never') !== reportedHealth)
      .map(({ reportedHealth: health, projectId, ...policy }) => {
        return { event: 'backup_policy', projectId, data: { ...policy, projectId, health } };
      });
  }

  /** The audit log has every change by a person. Only the kind of the change is sent. */
  async #newChanges(): Promise<News[]> {
    const rows = await tenant(this.#db, this.#organizationId)
      .select('audit_entries')
      .select(['id', 'action', 'targetId'])
      .$if(this.#lastChange !== undefined, (query) => query.where('id', '>', this.#lastChange!))
      .orderBy('id', 'desc')
      .limit(this.#lastChange === undefined ? 1 : mostChanges)
      .execute();
    const isFirst = this.#lastChange === undefined;
    this.#lastChange = rows[0]?.id ?? this.#lastChange ?? '';
    if (isFirst) return [];
    return rows.toReversed().map(({ action, targetId: id }) => {
      const projectId = id?.startsWith('prj_') ? id : null;
      return { event: 'change', projectId, data: { what: action.slice(0, action.indexOf('.')), projectId } };
    });
  }
}

/** Restricted members get only the events of projects that they can see. */
const mayHear = (caller: Caller, projectId: string | null): boolean =>
  projectId === null ? caller.organization.role !== 'restricted' : canSee(caller, 'project', projectId);
