import { sampleArchive } from '../../src/lib/archive/sample-archives-rig.ts';
import { type Answer, ownerToken, type TestApp } from './app.ts';
import { newFolder } from './children.ts';
import type { Person } from './people.ts';

export type Who = { token?: string; cookie?: string };
export const owner: Who = { token: ownerToken };

export const dataOf = (answer: Answer) => (answer.body as unknown as { data: Record<string, string> }).data;
export const fieldsOf = (answer: Answer) => answer.body as unknown as Record<string, string>;

const tables = [
  'organizations',
  'members',
  'invitations',
  'audit_entries',
  'projects',
  'project_variables',
  'uploads',
  'deployments',
  'deployment_events',
  'deployment_steps',
] as const;

let made = 0;

/** Helpers that create projects, deployments and uploads in a test's app. */
export function thingsOf(app: () => TestApp) {
  const post = (path: string, body: object = {}, who: Who = owner) => app().call('POST', path, { ...who, body });
  return {
    post,
    get: (path: string, who: Who = owner) => app().call('GET', path, who),

    newProject: async (who: Who = owner): Promise<string> => {
      const body = { name: `project ${++made}`, source: { type: 'local', path: newFolder('source') } };
      return dataOf(await post('/api/projects', body, who))['id']!;
    },

    /** A deployment that is not started yet. */
    newDeployment: async (projectId: string, who: Who = owner, more: object = {}): Promise<string> => {
      const body = { projectId, autoStart: false, ...more };
      return fieldsOf(await post('/api/deployments/build/access', body, who))['deployment_id']!;
    },

    /** An upload session with its archive. */
    newUpload: async (who: Who = owner, body: object = {}): Promise<string> => {
      type Session = { sessionId: string; upload: { url: string; headers: Record<string, string> } };
      const { sessionId, upload } = (await post('/api/projects/folder/session', body, who)).body as unknown as Session;
      const sent = { headers: upload.headers, body: sampleArchive({ name: 'index.html', content: 'x' }) };
      const { status, text } = await app().call('PUT', new URL(upload.url, 'http://x').pathname, sent);
      if (status !== 200) throw new Error(`upload: ${status} ${text}`);
      return sessionId;
    },

    grant: (person: Person, ...grants: [id: string, ...actions: string[]][]) =>
      app().call('PUT', `/api/members/${person.memberId}/grants`, {
        ...owner,
        body: { grants: grants.map(([id, ...actions]) => ({ resource: 'project', id, actions })) },
      }),

    /** The whole database except for token usage times, to verify that nothing changed. */
    rows: async (): Promise<string> => {
      const all = await Promise.all(tables.map((table) => app().database.db.selectFrom(table).selectAll().execute()));
      return JSON.stringify(all.map((each) => each.map((row) => JSON.stringify(row)).toSorted()));
    },
  };
}
