import { defineConfig } from 'vitepress';

const section = (folder, names) => Object.entries(names).map(([name, text]) => ({ text, link: `/${folder}/${name}` }));

/** Files of the repository are named on the site, and not linked: they are not part of it. */
function withoutRepositoryLinks(markdown) {
  const isOutside = (href) =>
    /^(\.\.\/)+(server|cli|web|bench|examples|scripts|client|README|CHANGELOG|CONTRIBUTING|LICENSE)/.test(href);
  markdown.core.ruler.push('repository-links', ({ tokens }) => {
    for (const { children } of tokens.filter(({ type }) => type === 'inline')) {
      let outside = false;
      for (const token of children) {
        if (token.type === 'link_open') outside = isOutside(token.attrGet('href'));
        if (outside && token.type.startsWith('link_'))
          Object.assign(token, { type: 'text', content: '', nesting: 0, hidden: true });
      }
    }
  });
}

export default defineConfig({
  title: 'Mooring',
  description: 'A self-hosted deployment platform for your own machines',
  lang: 'en',
  cleanUrls: false,
  head: [['link', { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' }]],
  markdown: { config: withoutRepositoryLinks },
  themeConfig: {
    logo: '/favicon.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Guides', link: '/guides/apps' },
      { text: 'Reference', link: '/reference/cli' },
      { text: 'Operations', link: '/operations/install' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Getting started', link: '/getting-started' },
          { text: 'Concepts', link: '/concepts' },
          { text: 'Benchmarks', link: '/benchmarks' },
        ],
      },
      {
        text: 'Guides',
        items: section('guides', {
          dashboard: 'The dashboard',
          apps: 'Configure an app',
          django: 'Deploy a Django app',
          'deploy-from-git': 'Deploy from git',
          'connect-github': 'Connect GitHub',
          compose: 'Deploy a compose file',
          databases: 'Run a database',
          volumes: 'Volumes',
          backups: 'Backups',
          replicas: 'Replicas',
          domains: 'Domains and certificates',
          servers: 'Servers',
          migration: 'Take over a server',
          'migrate-from-compose': 'Migrate from Docker Compose',
          'migrate-from-coolify': 'Migrate from Coolify',
          'migrate-from-dokploy': 'Migrate from Dokploy',
          'migrate-from-caprover': 'Migrate from CapRover',
          cloud: 'Link a hosted cloud',
        }),
      },
      {
        text: 'Reference',
        items: section('reference', {
          cli: 'Command line',
          api: 'API',
          'api-routes': 'API routes',
          configuration: 'Configuration',
          compose: 'Compose files',
          'compose-fields': 'Compose fields',
          languages: 'Languages',
        }),
      },
      {
        text: 'Operations',
        items: section('operations', {
          install: 'Install',
          update: 'Update',
          backup: 'Back up Mooring',
          'backup-destinations': 'Backup destinations',
          monitoring: 'Monitoring',
          security: 'Security model',
          scaling: 'Scaling',
          swarm: 'Clusters',
          'build-workers': 'Build workers',
          certificates: 'Certificates',
          'github-app': 'Set up a GitHub App',
          'run-a-cloud': 'Run a hosted cloud',
          troubleshooting: 'Troubleshooting',
        }),
      },
      {
        text: 'Contributing',
        items: section('contributing', {
          architecture: 'Architecture',
          adding: 'Add something',
          decisions: 'Decisions',
        }),
      },
    ],
  },
});
