// What is in the folder of a site, beside each other.

export const originFile = 'origin.json';
export const filesFolder = 'files';
