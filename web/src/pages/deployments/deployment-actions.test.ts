import { describe, expect, it } from 'vitest';
import type { Deployment } from '../../api.ts';
import { actionsFor } from './deployment-actions.ts';

const base = {
  status: 'ready',
  active: false,
  pinned: false,
  decision: null,
  commitSha: null,
  environment: 'production',
};
const owner = { may: (permission: string) => permission !== '', isRunning: true, isLeftBehind: false };
const namesFor = (state: Partial<Deployment>, circumstances: Partial<typeof owner> = {}) =>
  actionsFor({ ...base, ...state } as Deployment, { ...owner, ...circumstances }).map(({ name }) => name);

describe('actions on a deployment', () => {
  it('depend on its state', () => {
    expect(namesFor({ status: 'queued' })).toEqual(['start', 'cancel', 'pin', 'delete']);
    expect(namesFor({ status: 'building' })).toEqual(['cancel', 'pin', 'delete']);
    expect(namesFor({ status: 'deploying', decision: 'rejected' })).toEqual(['pin', 'delete']);
    expect(namesFor({ status: 'partial_failure', decision: 'pending' })).toEqual([
      'keep',
      'reject',
      'restart',
      'pin',
      'delete',
    ]);
    expect(namesFor({ status: 'failed' })).toEqual(['redeploy', 'pin', 'delete']);
    expect(namesFor({ status: 'ready' })).toEqual(['rollback', 'redeploy', 'pin', 'delete']);
    expect(namesFor({ active: true, pinned: true })).toEqual(['redeploy', 'apply', 'restart', 'unpin', 'delete']);
  });

  it('offer the same commit if there is one, and a restart if something is running', () => {
    expect(namesFor({ active: true, commitSha: 'a'.repeat(40) }, { isRunning: false })).toEqual([
      'redeploy',
      'redeploy-commit',
      'apply',
      'pin',
      'delete',
    ]);
  });

  it('do not redeploy locally once the project has moved to the cloud', () => {
    expect(namesFor({ status: 'ready' }, { isLeftBehind: true })).toEqual(['pin', 'delete']);
  });

  it('are limited to those that the person has permission for', () => {
    const writer = { may: (permission: string) => permission === 'deployment:write' };
    expect(namesFor({ status: 'ready' }, writer)).toEqual(['redeploy', 'pin']);
    expect(namesFor({ status: 'building' }, writer)).toEqual(['pin']);
    expect(namesFor({ status: 'ready' }, { may: () => false })).toEqual([]);
  });

  it('require typing a name only where a running release would be deleted', () => {
    const deletion = (state: Partial<Deployment>) =>
      actionsFor({ ...base, ...state } as Deployment, owner).find(({ name }) => name === 'delete');
    expect(deletion({ active: true })).toMatchObject({ isTyped: true });
    expect(deletion({ active: true })?.means).toContain('nothing serves in its place');
    expect(deletion({ status: 'failed' })).toMatchObject({ isTyped: false });
  });
});
