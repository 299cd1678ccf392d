/** Where a GitHub is: its pages, its API, and where uploads go. Without a slash at the end. */
export interface GitHubAddresses {
  webUrl: string;
  apiUrl: string;
  uploadsUrl: string;
}

type Given = { webUrl?: string; apiUrl?: string; uploadsUrl?: string };

/** From the address of its pages: github.com, a company's own on ghe.com, or an Enterprise server. */
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

/** Where a person installs the app. The state comes back with the browser. An Enterprise server has its apps elsewhere. */
export const installAddress = ({ webUrl }: GitHubAddresses, slug: string, state?: string): string => {
  const { host } = new URL(webUrl);
  const apps = host === 'github.com' || host.endsWith('.ghe.com') ? 'apps' : 'github-apps';
  const page = `${webUrl}/${apps}/${encodeURIComponent(slug)}/installations/new`;
  return state === undefined ? page : `${page}?${new URLSearchParams({ state }).toString()}`;
};

/** A mistake in it is one of whoever set it up, so it is thrown at the start and not at the first call. */
function baseAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`the git host's address ${address} is not an http or https address`);
  if (url.username || url.password || url.search || url.hash)
    throw new Error("the git host's address must not have credentials, a query or a fragment");
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
