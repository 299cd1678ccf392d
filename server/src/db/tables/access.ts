import type { Generated } from 'kysely';

export const roles = ['owner', 'admin', 'member', 'viewer', 'restricted'] as const;
export type Role = (typeof roles)[number];

/** Instance, users, and their credentials. */
export interface AccessTables {
  instance: InstanceTable;
  users: UserTable;
  setup_codes: { hash: string; expiresAt: number };
  organizations: OrganizationTable;
  members: MemberTable;
  sessions: SessionTable;
  tokens: TokenTable;
  invitations: InvitationTable;
  password_resets: { hash: string; userId: string; expiresAt: number };
  sign_in_failures: { key: string; failures: number; until: number };
  audit_entries: AuditEntryTable;
}

export interface InstanceTable {
  id: string;
  singleton: number;
  ownerUserId: string | null;
  /** Sealed with the instance key: shows at start whether the key matches the database. */
  keyCheck: string | null;
  /** Increments; a number is not reused soon after its project is deleted. */
  lastProjectNumber: Generated<number>;
  /** First uid of the block for project users; null before the first project. */
  firstProjectUid: Generated<number | null>;
  /** Of the registry that Mooring runs for a Swarm. Sealed; null before it is needed. */
  registryPassword: Generated<string | null>;
  createdAt: number;
}

export interface UserTable {
  id: string;
  email: string;
  name: string;
  passwordHash: string | null;
  createdAt: number;
}

export interface OrganizationTable {
  id: string;
  name: string;
  createdAt: number;
}

export interface MemberTable {
  id: string;
  organizationId: string;
  userId: string;
  role: Role;
  grants: string;
  createdAt: number;
}

export interface SessionTable {
  hash: string;
  /** Null for a session of an earlier version, which is no longer valid. */
  proofHash: string | null;
  userId: string;
  createdAt: number;
  expiresAt: number;
  ip: string;
  userAgent: string;
}

export interface TokenTable {
  id: string;
  organizationId: string;
  memberId: string;
  /** The token that created this one; revoking it revokes both. */
  parentId: string | null;
  name: string;
  prefix: string;
  hash: string;
  permissions: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

export interface InvitationTable {
  id: string;
  organizationId: string;
  email: string;
  role: Role;
  grants: string;
  hash: string;
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
}

export interface AuditEntryTable {
  id: string;
  organizationId: string;
  at: number;
  actorId: string | null;
  actorName: string;
  tokenId: string | null;
  ip: string;
  action: string;
  targetId: string | null;
  targetName: string | null;
  details: string;
}
