import type { Member } from './api.ts';

export type Role = Member['role'];

const roles: Record<Role, { title: string; means: string; rank: number }> = {
  owner: { title: 'Owner', means: 'Everything, including who the owners are.', rank: 4 },
  admin: { title: 'Admin', means: 'Everything, except what concerns owners.', rank: 3 },
  member: { title: 'Member', means: 'Sees and changes everything, but does not manage people.', rank: 2 },
  viewer: { title: 'Viewer', means: 'Sees everything and changes nothing.', rank: 1 },
  restricted: { title: 'Restricted', means: 'Only what is granted, one by one.', rank: 0 },
};

const of = (role: string) => roles[role as Role];

export const roleTitle = (role: string): string => of(role)?.title ?? role;
export const roleMeans = (role: string): string => of(role)?.means ?? '';

/** Nobody gives, changes or takes a role above their own. */
export const outranked = (own: string, role: string): boolean => (of(own)?.rank ?? -1) < (of(role)?.rank ?? 0);

export const rolesToGive = (own: string): Role[] => (Object.keys(roles) as Role[]).filter((role) => !outranked(own, role));
