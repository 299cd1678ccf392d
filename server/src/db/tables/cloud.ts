import type { DeploymentStatus } from './deployments.ts';

/** A hosted cloud: where this instance is linked to one, and where it is one itself. */
export interface CloudTables {
  cloud_links: CloudLinkTable;
  cloud_deployments: CloudDeploymentTable;
  cloud_promotions: CloudPromotionTable;
  cloud_queues: CloudQueueTable;
  cloud_deliveries: CloudDeliveryTable;
}

/** The account in a cloud that an organization uses. */
export interface CloudLinkTable {
  organization_id: string;
  url: string;
  /** Sealed. */
  token: string;
  /** Whose it is there: an e-mail address. */
  account: string;
  cloud_organization_id: string;
  cloud_organization: string;
  linked_by: string;
  created_at: number;
}

/** A deployment that the cloud has made, as it was seen last. */
export interface CloudDeploymentTable {
  id: string;
  organization_id: string;
  project_id: string;
  status: DeploymentStatus;
  /** JSON: a deployment as the API shows it. */
  summary: string;
  seen_at: number;
}

/** In a cloud: which deployment came of a promotion. */
export interface CloudPromotionTable {
  organization_id: string;
  key: string;
  project_id: string;
  deployment_id: string;
  created_at: number;
}

/** In a cloud: what the git host announced for an organization that has an instance elsewhere. */
export interface CloudQueueTable {
  organization_id: string;
  /** Part of each cursor: one of another queue means nothing in this. */
  id: string;
  last_seq: number;
  /** Up to here nothing is kept any more. */
  dropped_seq: number;
  /** When somebody last asked for what is in it. */
  asked_at: number;
}

/** One announcement in it. */
export interface CloudDeliveryTable {
  organization_id: string;
  seq: number;
  guid: string;
  digest: string;
  /** JSON: the event as it was read. */
  content: string;
  created_at: number;
}
