import type { Framework } from './framework.ts';

const platform = (id: string, name: string, packages: string[], tool: string, port: number): Framework => ({
  id,
  name,
  packages,
  build: `${tool} build`,
  shape: { start: `${tool} start`, port },
});

/** Frameworks and products with their own server and tool. */
export const platformFrameworks: Framework[] = [
  platform('blitz', 'Blitz', ['blitz'], 'blitz', 3000),
  {
    ...platform('redwood', 'RedwoodJS', ['@redwoodjs/core'], 'rw', 8910),
    shape: { start: 'rw serve', port: 8910 },
  },
  {
    ...platform('modernjs', 'Modern.js', ['@modern-js/app-tools'], 'modern', 8080),
    shape: { start: 'modern serve', port: 8080 },
  },
  platform('waku', 'Waku', ['waku'], 'waku', 8080),
  platform('strapi', 'Strapi', ['@strapi/strapi'], 'strapi', 1337),
  platform('medusa', 'Medusa', ['@medusajs/medusa'], 'medusa', 9000),
  platform('keystone', 'Keystone', ['@keystone-6/core'], 'keystone', 3000),
  platform('mastra', 'Mastra', ['mastra'], 'mastra', 4111),
  { id: 'directus', name: 'Directus', packages: ['directus'], shape: { start: 'directus start', port: 8055 } },
  {
    id: 'adonisjs',
    name: 'AdonisJS',
    packages: ['@adonisjs/core'],
    build: 'node ace build',
    // The start script is for the folder of the build.
    startScripts: [],
    shape: { start: 'node build/bin/server.js', port: 3333 },
  },
  {
    id: 'hydrogen',
    name: 'Hydrogen',
    packages: ['@shopify/hydrogen'],
    build: 'shopify hydrogen build',
    shape: { start: null, port: 3000, note: 'made for Shopify Oxygen; add a start script to run it elsewhere' },
  },
];
