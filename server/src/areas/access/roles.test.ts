import { describe, expect, it } from 'vitest';
import type { Caller, Grant } from '../../http/caller.ts';
import { allPermissions, withImplied, resources } from '../../http/permission.ts';
import { grantedIds, hasAccessTo } from './grants.ts';
import { permissionsOfToken, outranks, permissionsOf, roles } from './roles.ts';

describe('permissions', () => {
  it('admin implies write, write implies read and list', () => {
    expect([...withImplied(['deployment:admin'])].toSorted()).toEqual([
      'deployment:admin',
      'deployment:list',
      'deployment:read',
      'deployment:write',
    ]);
    expect([...withImplied(['deployment:write'])].toSorted()).toEqual([
      'deployment:list',
      'deployment:read',
      'deployment:write',
    ]);
    expect([...withImplied(['deployment:read'])]).toEqual(['deployment:read']);
    expect([...withImplied(['deployment:list'])]).toEqual(['deployment:list']);
  });

  it('of roles', () => {
    const of = (role: (typeof roles)[number], action: string) =>
      allPermissions.filter((p) => p.endsWith(`:${action}`) && permissionsOf(role, []).has(p));
    expect(permissionsOf('owner', []).size).toBe(allPermissions.length);
    expect(permissionsOf('admin', []).size).toBe(allPermissions.length);
    expect(of('member', 'admin')).toEqual([]);
    expect(of('member', 'write')).toHaveLength(resources.length);
    expect(of('viewer', 'write')).toEqual(['token:write']);
    expect(of('viewer', 'read')).toHaveLength(resources.length);
    expect(of('restricted', 'write')).toEqual(['token:write']);
    expect(of('restricted', 'read')).toEqual(['organization:read', 'token:read']);
  });

  it('of a token are limited to those of its member', () => {
    const viewer = permissionsOf('viewer', []);
    expect(permissionsOfToken(viewer, '*')).toBe(viewer);
    expect([...permissionsOfToken(viewer, ['deployment:admin'])].toSorted()).toEqual([
      'deployment:list',
      'deployment:read',
    ]);
  });

  it('rank roles', () => {
    expect(outranks('owner', 'admin')).toBe(true);
    expect(outranks('admin', 'admin')).toBe(false);
    expect(outranks('viewer', 'member')).toBe(false);
  });
});

describe('grants', () => {
  const caller = (role: string, grants: Grant[]) => ({ organization: { role, grants } }) as unknown as Caller;
  const restricted = caller('restricted', [
    { resource: 'project', id: 'prj_a', actions: ['write'] },
    { resource: 'project', id: 'prj_b', actions: ['read'] },
    { resource: 'repository', id: 'acme/*', actions: ['list'] },
  ]);

  it('limit a restricted member to the granted actions and resources', () => {
    expect(hasAccessTo(restricted, 'project', 'prj_a', 'read')).toBe(true);
    expect(hasAccessTo(restricted, 'project', 'prj_a', 'admin')).toBe(false);
    expect(hasAccessTo(restricted, 'project', 'prj_b', 'write')).toBe(false);
    expect(hasAccessTo(restricted, 'project', 'prj_c', 'read')).toBe(false);
    expect(hasAccessTo(restricted, 'server', 'prj_a', 'read')).toBe(false);
    expect(hasAccessTo(restricted, 'repository', 'acme/site', 'list')).toBe(true);
    expect(hasAccessTo(restricted, 'repository', 'acme-evil/site', 'list')).toBe(false);
    expect(grantedIds(restricted, 'project', 'write')).toEqual(['prj_a']);
  });

  it('do not affect other roles', () => {
    expect(hasAccessTo(caller('viewer', []), 'project', 'prj_z', 'read')).toBe(true);
    expect(grantedIds(caller('member', []), 'project', 'read')).toBe('all');
  });

  it('give the permissions of their routes', () => {
    const held = permissionsOf('restricted', restricted.organization.grants);
    expect(held.has('deployment:write')).toBe(true);
    expect(held.has('project:read')).toBe(true);
    expect(held.has('deployment:admin')).toBe(false);
    expect(held.has('githost:list')).toBe(true);
    expect(held.has('server:list')).toBe(false);
  });
});
