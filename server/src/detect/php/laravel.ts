import type { SourceTree } from '../detect.ts';

/** Folders that Laravel writes to and does not create; some sources leave them out. */
const written = ['bootstrap/cache', 'storage/framework/cache', 'storage/framework/sessions', 'storage/framework/views'];

/** What a Laravel app needs besides its packages. */
export async function laravelTasks(tree: SourceTree): Promise<{
  /** Creates the folders that its commands write to. */
  prepare: string | null;
  /** Publishes the uploads. Relative, because the image has the app in another folder than the build. */
  link: string | null;
  release: string | null;
}> {
  const has = async (folder: string, name: string) => (await tree.list(folder)).includes(name);
  const missing: string[] = [];
  for (const path of written) {
    const cut = path.lastIndexOf('/');
    if (!(await has(path.slice(0, cut), `${path.slice(cut + 1)}/`))) missing.push(path);
  }
  const isPublished = (await has('public', 'storage/')) || (await has('public', 'storage'));
  return {
    prepare: missing.length ? `mkdir -p ${missing.join(' ')}` : null,
    link: (await has('storage/app', 'public/')) && !isPublished ? 'ln -sfn ../storage/app/public public/storage' : null,
    release: (await tree.list('database/migrations')).some((name) => name.endsWith('.php'))
      ? 'php artisan migrate --force'
      : null,
  };
}
