import type { ImageParts } from './docker-images.ts';

/** This machine's Redis as an image. It persists everything in its volume and accepts everyone on its network. */
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
