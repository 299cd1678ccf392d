/** Registries that many people use, by the address that image names carry. */
export const knownRegistries = [
  { address: 'docker.io', title: 'Docker Hub' },
  { address: 'ghcr.io', title: 'GitHub Container Registry' },
  { address: 'registry.gitlab.com', title: 'GitLab Container Registry' },
  { address: 'quay.io', title: 'Quay' },
];

export const registryTitle = (address: string): string | undefined =>
  knownRegistries.find((known) => known.address === address)?.title;
