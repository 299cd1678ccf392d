import type { Member } from './api.ts';

export type Role = Member['role'];

// From most to least privileged.
const roles: { name: Role; title: string; means: string }[] = [
  { name: 'owner', title: 'Owner', means: 'Can do everything, and decides who the owners are.' },
  { name: 'admin', title: 'Admin', means: 'Can do everything except change owners.' },
  {
    name: 'member',
    title: 'Member',
    means: 'Creates, deploys and changes everything, but does not delete, roll back or manage people.',
  },
  { name: 'viewer', title: 'Viewer', means: 'Sees everything and changes nothing.' },
  { name: 'restricted', title: 'Restricted', means: 'Sees and does only what is granted.' },
];

const find = (role: string) => roles.find(({ name }) => name === role);
const rank = (role: string) => roles.findIndex(({ name }) => name === role);

export const roleTitle = (role: string): string => find(role)?.title ?? role;
export const roleMeans = (role: string): string => find(role)?.means ?? '';

/** Nobody assigns, changes or removes a role above their own. */
export const outranked = (own: string, role: string): boolean => rank(own) > rank(role);

export const rolesToGive = (own: string): Role[] =>
  roles.map(({ name }) => name).filter((role) => !outranked(own, role));
