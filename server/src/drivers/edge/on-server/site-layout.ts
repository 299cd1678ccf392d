// Contents of a site's folder.

export const originFile = 'origin.json';
export const filesFolder = 'files';
