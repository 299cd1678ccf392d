import os

SECRET_KEY = os.environ.get("SECRET_KEY", "only for the sample")
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "site_settings.urls"
WSGI_APPLICATION = "site_settings.wsgi.application"
