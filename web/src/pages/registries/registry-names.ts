/** Common registries, by the address in image names. */
export const knownRegistries = [
  { address: 'docker.io', title: 'Docker Hub' },
  { address: 'ghcr.io', title: 'GitHub Container Registry' },
  { address: 'registry.gitlab.com', title: 'GitLab Container Registry' },
  { address: 'quay.io', title: 'Quay' },
];

export const registryTitle = (address: string): string | undefined =>
  knownRegistries.find((known) => known.address === address)?.title;
