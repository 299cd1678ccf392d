import type { DetectFinding } from '../detect.ts';
import type { Gemfile } from './gemfile.ts';

type Needs = { run?: string[]; build?: string[] };

const images: Needs = { run: ['imagemagick'] };
const toPdf: Needs = { run: ['wkhtmltopdf'] };

/** Debian packages of gems; the image that builds has the usual headers and compilers. */
const needs: Record<string, Needs> = {
  // The name of the library depends on the release of Debian.
  charlock_holmes: { run: ['libicu-dev'] },
  curb: { run: ['libcurl4'] },
  mini_magick: images,
  mysql2: { run: ['libmariadb3'] },
  paperclip: images,
  pdfkit: toPdf,
  pg: { run: ['libpq5'] },
  rbnacl: { run: ['libsodium23'] },
  rmagick: images,
  'ruby-filemagic': { run: ['libmagic1'] },
  'ruby-vips': { run: ['libvips42'] },
  rugged: { build: ['cmake'] },
  sqlite3: { run: ['libsqlite3-0'] },
  'streamio-ffmpeg': { run: ['ffmpeg'] },
  tiny_tds: { run: ['libsybdb5'], build: ['freetds-dev'] },
  wicked_pdf: toPdf,
};

/** Engines that ExecJS finds without Node.js. */
const engines = ['mini_racer', 'therubyracer', 'duktape'];

/** Returns the Debian packages of the app's gems. */
export function rubySystemLibraries(gems: Gemfile): Required<Pick<DetectFinding, 'systemPackages' | 'buildPackages'>> {
  const hasProgram = gems.has('wkhtmltopdf-binary', 'wkhtmltopdf-heroku');
  const known = Object.entries(needs)
    .filter(([gem, each]) => gems.has(gem) && !(each === toPdf && hasProgram))
    .map(([, each]) => each);
  const runsJavaScript = gems.has('execjs') && !gems.has(...engines);
  return {
    systemPackages: [...new Set([...known.flatMap(({ run = [] }) => run), ...(runsJavaScript ? ['nodejs'] : [])])],
    buildPackages: [...new Set(known.flatMap(({ build = [] }) => build))],
  };
}
