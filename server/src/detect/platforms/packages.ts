// Packages of Ubuntu and Nix by their names in Debian.

/** Ubuntu's names, and names that only older releases have. */
const ofUbuntu: Record<string, string> = {
  'chromium-browser': 'chromium',
  'chromium-chromedriver': 'chromium-driver',
  'libgl1-mesa-glx': 'libgl1',
  'libgl1-mesa-dev': 'libgl-dev',
  'libmysqlclient-dev': 'default-libmysqlclient-dev',
  mysql: 'default-mysql-client',
  'mysql-client': 'default-mysql-client',
  'openjdk-8-jdk': 'default-jdk-headless',
  'openjdk-11-jdk': 'default-jdk-headless',
  'openjdk-11-jre': 'default-jre-headless',
  'openjdk-17-jdk': 'default-jdk-headless',
  'openjdk-17-jre': 'default-jre-headless',
  'libjpeg62-dev': 'libjpeg-dev',
  'libjpeg8-dev': 'libjpeg-dev',
  'libjpeg-turbo8-dev': 'libjpeg-dev',
  'libpng12-dev': 'libpng-dev',
  'libfreetype6-dev': 'libfreetype-dev',
  'libtiff5-dev': 'libtiff-dev',
  'python-dev': 'python3-dev',
  'python-pip': 'python3-pip',
  python: 'python3',
};

/** Null: nothing to install, because every image has it or the language's image brings it. */
const ofNix: Record<string, string | null> = {
  cairo: 'libcairo2-dev',
  'cairo.dev': 'libcairo2-dev',
  chromedriver: 'chromium-driver',
  coreutils: null,
  expat: 'libexpat1',
  file: 'libmagic1',
  fontconfig: 'fontconfig',
  freetype: 'libfreetype-dev',
  gcc: 'build-essential',
  'gcc-unwrapped': null,
  gdk_pixbuf: 'libgdk-pixbuf-2.0-0',
  glib: 'libglib2.0-0',
  glibc: null,
  gnumake: 'make',
  gobject: 'libglib2.0-0',
  'gobject-introspection': 'gobject-introspection',
  libGL: 'libgl1',
  libffi: 'libffi-dev',
  libjpeg: 'libjpeg-dev',
  libmagic: 'libmagic1',
  libmysqlclient: 'default-libmysqlclient-dev',
  libpng: 'libpng-dev',
  libsodium: 'libsodium-dev',
  libstdcxx5: null,
  libuuid: 'libuuid1',
  libwebp: 'libwebp-dev',
  libxml2: 'libxml2-dev',
  libxslt: 'libxslt1-dev',
  libzip: 'libzip-dev',
  mariadb: 'mariadb-client',
  'mariadb-client': 'mariadb-client',
  mysql80: 'default-mysql-client',
  openssl: 'openssl',
  openssh: 'openssh-client',
  'openssl.dev': 'libssl-dev',
  pango: 'libpango1.0-dev',
  'pkg-config': 'pkg-config',
  pkgconfig: 'pkg-config',
  poppler_utils: 'poppler-utils',
  postgresql: 'libpq-dev',
  'postgresql.dev': 'libpq-dev',
  libpq: 'libpq-dev',
  'python3Packages.pip': null,
  redis: 'redis-tools',
  sqlite: 'sqlite3',
  'stdenv.cc.cc': null,
  'stdenv.cc.cc.lib': null,
  tesseract: 'tesseract-ocr',
  tesseract4: 'tesseract-ocr',
  tesseract5: 'tesseract-ocr',
  vips: 'libvips-dev',
  'yt-dlp': 'yt-dlp',
  zlib: 'zlib1g-dev',
  'zlib.dev': 'zlib1g-dev',
};

/** Packages with the same name in Nix and Debian. */
const sameInNix =
  /^(bash|chromium|cmake|curl|ffmpeg|ghostscript|git|git-lfs|graphviz|gnupg|imagemagick|jq|libreoffice|make|nano|nginx|pandoc|procps|rsync|sox|tini|unzip|wget|zip|zsh|autoconf|automake|libtool)$/;

/** Nix packages of a language: its image brings them, in this version. */
const languages: [RegExp, string, string?][] = [
  [/^nodejs(?:[-_](\d+)(?:_x)?)?$/, 'javascript', 'nodejs'],
  [/^(?:npm|yarn|pnpm|corepack|bun)(?:[-_]\d+(?:_x)?)?$/, 'javascript', 'npm'],
  [/^python(\d)(\d{1,2})$/, 'python', 'python3'],
  [/^python3?(?:Full)?$/, 'python', 'python3'],
  [/^python3\d*Packages\./, 'python', 'python3-venv'],
  [/^(?:uv|poetry|pipenv|virtualenv)$/, 'python'],
  [/^php(\d)(\d)/, 'php'],
  [/^ruby(?:_(\d)_(\d))?$/, 'ruby', 'ruby'],
  [/^go(?:_(\d)_(\d{1,2}))?$/, 'go'],
  [/^(?:open)?jdk(\d{1,2})?(?:_headless)?$/, 'java', 'default-jre-headless'],
  [/^(?:maven|gradle|gradle_\d|kotlin)$/, 'java'],
  [/^(?:cargo|rustc|rustup)$/, 'rust'],
  [/^elixir(?:_(\d)_(\d{1,2}))?$/, 'elixir'],
  [/^dotnet-sdk(?:_(\d))?$/, 'csharp'],
  [/^deno$/, 'javascript'],
];

/** What a list of packages asks for. */
export interface Packages {
  debian: string[];
  /** Languages with the version and the Debian package for apps in another language. */
  languages: { language: string; version: string | null; debian: string | null }[];
  /** Without a counterpart. */
  unknown: string[];
}

export function nixPackages(names: readonly string[]): Packages {
  const found: Packages = { debian: [], languages: [], unknown: [] };
  for (const name of names.filter((each) => each !== '...').slice(0, 100)) {
    const [rule, match] = languages.map((each) => [each, each[0].exec(name)] as const).find(([, m]) => m) ?? [];
    if (rule && match) {
      const version = match.slice(1).filter(Boolean).join('.') || null;
      found.languages.push({ language: rule[1], version, debian: rule[2] ?? null });
    } else if (sameInNix.test(name)) found.debian.push(name);
    else if (!Object.hasOwn(ofNix, name)) found.unknown.push(name);
    else if (ofNix[name]) found.debian.push(ofNix[name]);
  }
  return found;
}

/** Names that Debian accepts; sources and addresses of packages are not read. */
export function aptPackages(names: readonly string[]): { debian: string[]; unknown: string[] } {
  const lines = names.map((name) => name.trim()).filter((name) => name && name !== '...');
  const isName = (name: string) => /^[a-z0-9][a-z0-9.+-]{1,80}$/.test(name) && !name.endsWith('.deb');
  const own = (name: string) => (Object.hasOwn(ofUbuntu, name) ? ofUbuntu[name]! : name);
  return { debian: lines.filter(isName).slice(0, 100).map(own), unknown: lines.filter((name) => !isName(name)) };
}
