import type { SourceTree } from '../detect.ts';
import { plainName } from '../plain-names.ts';

/**
 * Well-known packages by the name that programs import, for programs without a list of dependencies. Other names are
 * not installed: anybody could publish a package of that name.
 */
const packages: Record<string, string> = {
  ...same(`aiofiles aiogram aiohttp anthropic apscheduler bcrypt boto3 bottle celery cherrypy cryptography dash
    discord django fastapi feedparser flask flask_bcrypt flask_bootstrap flask_caching flask_cors flask_jwt_extended
    flask_limiter flask_login flask_mail flask_marshmallow flask_migrate flask_mysqldb flask_restful flask_session
    flask_socketio flask_sqlalchemy flask_wtf google_auth_oauthlib gradio gunicorn httpx jinja2 joblib loguru lxml
    markdown marshmallow matplotlib motor nltk numpy openai openpyxl pandas passlib peewee pika plotly psutil pydantic
    pydantic_settings pymongo pymysql pytz quart redis requests sanic schedule scipy seaborn selenium spotipy
    sqlalchemy sqlmodel starlette streamlit stripe sympy textblob tornado tqdm tweepy twilio uvicorn waitress
    websocket_client websockets werkzeug wtforms xgboost yfinance`),
  bs4: 'beautifulsoup4',
  cv2: 'opencv-python-headless',
  dateutil: 'python-dateutil',
  discord: 'discord.py',
  dotenv: 'python-dotenv',
  jose: 'python-jose',
  jwt: 'pyjwt',
  multipart: 'python-multipart',
  MySQLdb: 'mysqlclient',
  PIL: 'pillow',
  psycopg2: 'psycopg2-binary',
  sklearn: 'scikit-learn',
  slugify: 'python-slugify',
  telebot: 'pytelegrambotapi',
  telegram: 'python-telegram-bot',
  yaml: 'pyyaml',
};

function same(names: string): Record<string, string> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, name.replaceAll('_', '-')]));
}

const maxFiles = 40;

/** Returns the well-known packages that the programs in a folder import. */
export async function importedPackages(tree: SourceTree): Promise<string[]> {
  const names = await tree.list('');
  const files = names.filter((name) => name.endsWith('.py') && plainName(name)).slice(0, maxFiles);
  // A folder or file of that name is imported instead.
  const own = new Set(names.map((name) => name.replace(/(\.py|\/)$/, '')));
  const found = new Set<string>();
  for (const file of files)
    for (const [, from, list = ''] of ((await tree.read(file)) ?? '').matchAll(
      /^[ \t]{0,40}(?:from[ \t]{1,9}([A-Za-z_]\w{0,60})[\w.]{0,200}[ \t]{1,9}import\b|import[ \t]{1,9}([^#\n;]{1,400}))/gm,
    ))
      for (const name of from ? [from] : list.split(',').map((each) => each.trim().split(/[\s.]/)[0]!))
        if (Object.hasOwn(packages, name) && !own.has(name)) found.add(packages[name]!);
  return [...found].toSorted();
}
