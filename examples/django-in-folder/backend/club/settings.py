SECRET_KEY = "only for the sample"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "club.urls"
