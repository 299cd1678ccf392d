import type { DetectFinding } from '../detect.ts';
import type { PythonProject } from './project.ts';

type Needs = { run?: string[]; build?: string[] };

const media: Needs = { run: ['ffmpeg'] };
const vision: Needs = { run: ['libgl1', 'libglib2.0-0'] };
const postgres: Needs = { run: ['libpq5'] };
const text: Needs = { run: ['libpango-1.0-0', 'libpangoft2-1.0-0', 'libharfbuzz-subset0'] };
const toPdf: Needs = { run: ['wkhtmltopdf'] };
const browser: Needs = { run: ['chromium', 'chromium-driver'] };

/** Debian packages of Python packages; the image that builds has the usual headers and compilers. */
const needs: Record<string, Needs> = {
  cairosvg: { run: ['libcairo2'] },
  'discord-py[voice]': media,
  dlib: { build: ['cmake'] },
  easyocr: vision,
  'face-recognition': { build: ['cmake'] },
  'ffmpeg-python': media,
  graphviz: { run: ['graphviz'] },
  imgkit: toPdf,
  mediapipe: vision,
  moviepy: media,
  mysqlclient: { run: ['libmariadb3'] },
  'openai-whisper': media,
  'opencv-contrib-python': vision,
  'opencv-python': vision,
  pdf2image: { run: ['poppler-utils'] },
  pdfkit: toPdf,
  playwright: { run: ['chromium'] },
  psycopg: postgres,
  psycopg2: postgres,
  pyaudio: { run: ['libportaudio2'], build: ['portaudio19-dev'] },
  pycairo: { run: ['libcairo2'] },
  pydot: { run: ['graphviz'] },
  pydub: media,
  pyexecjs: { run: ['nodejs'] },
  pygraphviz: { run: ['graphviz'], build: ['libgraphviz-dev'] },
  pyodbc: { run: ['unixodbc'], build: ['unixodbc-dev'] },
  pytesseract: { run: ['tesseract-ocr'] },
  'python-ldap': { run: ['ldap-utils'], build: ['libldap2-dev', 'libsasl2-dev'] },
  'python-magic': { run: ['libmagic1'] },
  'python-snappy': { run: ['libsnappy1v5'], build: ['libsnappy-dev'] },
  pyzbar: { run: ['libzbar0'] },
  selenium: browser,
  sounddevice: { run: ['libportaudio2'] },
  soundfile: { run: ['libsndfile1'] },
  ultralytics: vision,
  uwsgi: { run: ['libxml2'] },
  weasyprint: text,
  xmlsec: { run: ['libxmlsec1-openssl'], build: ['libxmlsec1-dev', 'pkg-config'] },
  'youtube-dl': media,
  'yt-dlp': media,
};

/** Returns the Debian packages of the project's dependencies. */
export function pythonSystemLibraries({
  dependencies,
}: PythonProject): Required<Pick<DetectFinding, 'systemPackages' | 'buildPackages'>> {
  const known = Object.entries(needs).filter(([name]) => dependencies.has(name));
  return {
    systemPackages: [...new Set(known.flatMap(([, { run = [] }]) => run))],
    buildPackages: [...new Set(known.flatMap(([, { build = [] }]) => build))],
  };
}
