import type { ImageParts } from './docker-images.ts';

/** The Redis of this machine as an image. It writes everything down in its volume and answers everybody on its network. */
export const redisImage = (): ImageParts => ({
  name: 'redis:7',
  programs: {
    '/usr/local/bin/redis-server': '/usr/bin/redis-server',
    '/usr/local/bin/redis-cli': '/usr/bin/redis-cli',
  },
  writable: ['/data'],
  changes: [
    'USER node',
    'WORKDIR /data',
    'VOLUME /data',
    'EXPOSE 6379',
    'ENTRYPOINT ["redis-server", "--bind", "0.0.0.0", "--protected-mode", "no", "--appendonly", "yes"]',
  ],
});
