/** Labels of platforms and proxies, which are useless after the adoption. */
const noise =
  /^(com\.docker\.(compose|swarm|stack|extension|desktop)\b|mooring\.|coolify\.|com\.dokploy\.|dokploy\.|captain\.|caprover\.|io\.portainer\.|com\.dokku\.|dokku$|traefik\.|caddy(_\d+)?($|\.)|com\.github\.(jrcs|nginx-proxy)\.|org\.opencontainers\.image\.|org\.label-schema\.|desktop\.docker\.io\b|maintainer$)/i;

type Labels = Readonly<Record<string, string>>;

/** Returns the labels set by the user. */
export const ownLabels = (labels: Labels, ofImage: Labels = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key, value]) => !noise.test(key) && ofImage[key] !== value));
