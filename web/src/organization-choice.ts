const key = 'mooring.organization';

// Kept per tab: switching in one tab must not change the organization that another tab acts in.
let chosen = localStorage.getItem(key) ?? undefined;

/** The organization that this tab acts in; undefined until the service's first response. */
export const chosenOrganization = (): string | undefined => chosen;

export function chooseOrganization(id: string | undefined): void {
  chosen = id;
  if (id) localStorage.setItem(key, id);
  else localStorage.removeItem(key);
}
