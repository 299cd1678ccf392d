/** Whether an id is one of a Swarm service: 25 characters of base 36. Ids of containers have 64 of base 16. */
export const isSwarmServiceId = (id: string): boolean => /^[0-9a-z]{25}$/.test(id);
