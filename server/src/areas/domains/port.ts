// The functions and types that other areas may import. The architecture test refuses imports of other files.
export { selectAllCurrent as selectCertificates } from './certificates/store.ts';
export type { DeploymentDomains } from './domains/deployment-domains.ts';
export { requireFreeLabel } from './domains/domain-name.ts';
export type { Domains, FindServices } from './domains/service.ts';
export type { DomainNames, EnvironmentRef, ProjectRef, CustomDomain, ReleaseNames } from './release-names.ts';
