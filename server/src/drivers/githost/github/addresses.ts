/** Base addresses of a GitHub instance, without a trailing slash. */
export interface GitHubAddresses {
  webUrl: string;
  apiUrl: string;
  uploadsUrl: string;
}

type Given = { webUrl?: string; apiUrl?: string; uploadsUrl?: string };

/** Derives the API addresses from the web address of github.com, a ghe.com tenant or an Enterprise server. */
export function gitHubAddresses({ webUrl = 'https://github.com', apiUrl, uploadsUrl }: Given = {}): GitHubAddresses {
  const web = baseAddress(webUrl);
  const { host, protocol } = new URL(web);
  const isHosted = host === 'github.com' || host.endsWith('.ghe.com');
  return {
    webUrl: web,
    apiUrl: apiUrl ? baseAddress(apiUrl) : isHosted ? `${protocol}//api.${host}` : `${web}/api/v3`,
    uploadsUrl: uploadsUrl ? baseAddress(uploadsUrl) : isHosted ? `${protocol}//uploads.${host}` : `${web}/api/uploads`,
  };
}

/** Returns the page that installs the app; GitHub returns `state` in the redirect. Enterprise servers use another path. */
export const installAddress = ({ webUrl }: GitHubAddresses, slug: string, state?: string): string => {
  const { host } = new URL(webUrl);
  const apps = host === 'github.com' || host.endsWith('.ghe.com') ? 'apps' : 'github-apps';
  const page = `${webUrl}/${apps}/${encodeURIComponent(slug)}/installations/new`;
  return state === undefined ? page : `${page}?${new URLSearchParams({ state }).toString()}`;
};

/** Throws at startup rather than at the first call, because a bad address is a configuration mistake. */
function baseAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`the git host's address ${address} is not an http or https address`);
  if (url.username || url.password || url.search || url.hash)
    throw new Error("the git host's address must not have credentials, a query or a fragment");
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
