/** Where programs of the machine are. Folders of the caller do not belong there: the updater runs as root. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
