import type { Generated } from 'kysely';

export const roles = ['owner', 'admin', 'member', 'viewer', 'restricted'] as const;
export type Role = (typeof roles)[number];

/** Instance, users and everything that lets them in. */
export interface AccessTables {
  instance: InstanceTable;
  users: UserTable;
  setup_codes: { hash: string; expires_at: number };
  organizations: OrganizationTable;
  members: MemberTable;
  sessions: SessionTable;
  tokens: TokenTable;
  invitations: InvitationTable;
  password_resets: { hash: string; user_id: string; expires_at: number };
  sign_in_failures: { key: string; failures: number; until: number };
  audit_entries: AuditEntryTable;
}

export interface InstanceTable {
  id: string;
  singleton: number;
  owner_user_id: string | null;
  /** Sealed under the instance key: tells at start whether the key fits the database. */
  key_check: string | null;
  /** Counts up; a number is not given again soon after its project is gone. */
  last_project_number: Generated<number>;
  /** Of the block of numeric users for projects; null before the first one. */
  first_project_uid: Generated<number | null>;
  created_at: number;
}

export interface UserTable {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
  created_at: number;
}

export interface OrganizationTable {
  id: string;
  name: string;
  created_at: number;
}

export interface MemberTable {
  id: string;
  organization_id: string;
  user_id: string;
  role: Role;
  grants: string;
  created_at: number;
}

export interface SessionTable {
  hash: string;
  /** Null for a session of an earlier version, which cannot be used any more. */
  proof_hash: string | null;
  user_id: string;
  created_at: number;
  expires_at: number;
  ip: string;
  user_agent: string;
}

export interface TokenTable {
  id: string;
  organization_id: string;
  member_id: string;
  /** The token that made this one; they end together. */
  parent_id: string | null;
  name: string;
  prefix: string;
  hash: string;
  permissions: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

export interface InvitationTable {
  id: string;
  organization_id: string;
  email: string;
  role: Role;
  grants: string;
  hash: string;
  invited_by: string;
  created_at: number;
  expires_at: number;
}

export interface AuditEntryTable {
  id: string;
  organization_id: string;
  at: number;
  actor_id: string | null;
  actor_name: string;
  token_id: string | null;
  ip: string;
  action: string;
  target_id: string | null;
  target_name: string | null;
  details: string;
}
