export const color = 'navy';
