import type { DeploymentStatus } from './deployments.ts';

/** A hosted cloud: links of this instance to one, and the state of an instance that is one. */
export interface CloudTables {
  cloud_links: CloudLinkTable;
  cloud_deployments: CloudDeploymentTable;
  cloud_promotions: CloudPromotionTable;
  cloud_queues: CloudQueueTable;
  cloud_deliveries: CloudDeliveryTable;
}

/** The cloud account of an organization. */
export interface CloudLinkTable {
  organizationId: string;
  url: string;
  /** Sealed. */
  token: string;
  /** E-mail address of the account in the cloud. */
  account: string;
  cloudOrganizationId: string;
  cloudOrganization: string;
  linkedBy: string;
  createdAt: number;
}

/** A deployment in the cloud, as last seen. */
export interface CloudDeploymentTable {
  id: string;
  organizationId: string;
  projectId: string;
  status: DeploymentStatus;
  /** JSON: a deployment as in the API. */
  summary: string;
  seenAt: number;
}

/** In a cloud: the deployment that resulted from a promotion. */
export interface CloudPromotionTable {
  organizationId: string;
  key: string;
  projectId: string;
  deploymentId: string;
  createdAt: number;
}

/** In a cloud: webhook deliveries for an organization with an instance elsewhere. */
export interface CloudQueueTable {
  organizationId: string;
  /** Part of each cursor: a cursor of another queue is invalid. */
  id: string;
  lastSeq: number;
  /** Deliveries up to here are no longer kept. */
  droppedSeq: number;
  /** Time of the last poll. */
  askedAt: number;
}

/** A webhook delivery in the queue. */
export interface CloudDeliveryTable {
  organizationId: string;
  seq: number;
  guid: string;
  digest: string;
  /** JSON: the parsed event. */
  content: string;
  createdAt: number;
}
