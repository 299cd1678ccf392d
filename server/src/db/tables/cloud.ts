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
  organizationId: string;
  url: string;
  /** Sealed. */
  token: string;
  /** Whose it is there: an e-mail address. */
  account: string;
  cloudOrganizationId: string;
  cloudOrganization: string;
  linkedBy: string;
  createdAt: number;
}

/** A deployment that the cloud has made, as it was seen last. */
export interface CloudDeploymentTable {
  id: string;
  organizationId: string;
  projectId: string;
  status: DeploymentStatus;
  /** JSON: a deployment as the API shows it. */
  summary: string;
  seenAt: number;
}

/** In a cloud: which deployment came of a promotion. */
export interface CloudPromotionTable {
  organizationId: string;
  key: string;
  projectId: string;
  deploymentId: string;
  createdAt: number;
}

/** In a cloud: what the git host announced for an organization that has an instance elsewhere. */
export interface CloudQueueTable {
  organizationId: string;
  /** Part of each cursor: one of another queue means nothing in this. */
  id: string;
  lastSeq: number;
  /** Up to here nothing is kept any more. */
  droppedSeq: number;
  /** When somebody last asked for what is in it. */
  askedAt: number;
}

/** One announcement in it. */
export interface CloudDeliveryTable {
  organizationId: string;
  seq: number;
  guid: string;
  digest: string;
  /** JSON: the event as it was read. */
  content: string;
  createdAt: number;
}
