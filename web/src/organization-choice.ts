const key = 'mooring.organization';

// Kept per tab: a switch in one tab must not redirect what another tab does to a different organization.
let chosen = localStorage.getItem(key) ?? undefined;

/** The organization that this tab acts in; undefined until the first answer of the service tells. */
export const chosenOrganization = (): string | undefined => chosen;

export function chooseOrganization(id: string | undefined): void {
  chosen = id;
  if (id) localStorage.setItem(key, id);
  else localStorage.removeItem(key);
}
