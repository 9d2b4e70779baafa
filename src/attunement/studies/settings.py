"""Django's settings of a study: all that varies comes from its folder and the environment.

``ATTUNEMENT_STUDY`` names the folder; ``DATABASE_URL`` a database other than the SQLite file in it;
``ATTUNEMENT_HOSTS`` the host names that the study is served under, separated by commas, and
``ATTUNEMENT_HTTPS=1`` says that a proxy in front of it speaks HTTPS.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import dj_database_url

from attunement.studies.folder import DATABASE, FOLDER, SECRET

HERE = Path(__file__).parent
STUDY_FOLDER = Path(os.environ.get(FOLDER, "."))
_secret = STUDY_FOLDER / SECRET
# With none, Django refuses to work: there is no study
SECRET_KEY = _secret.read_text("utf-8").strip() if _secret.is_file() else ""

DEBUG = False
HTTPS = os.environ.get("ATTUNEMENT_HTTPS") == "1"
HOSTS = [h for h in os.environ.get("ATTUNEMENT_HOSTS", "").split(",") if h]
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *HOSTS]
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in HOSTS]

INSTALLED_APPS = [
    "attunement.studies",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
]

MIDDLEWARE = [
    "attunement.studies.middleware.security_headers",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "attunement.studies.urls"
WSGI_APPLICATION = "attunement.studies.server.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "attunement.studies.context.about",
            ],
        },
    }
]

_SQLITE = {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": STUDY_FOLDER / DATABASE,
    "CONN_MAX_AGE": None,
    "OPTIONS": {
        # One writer at a time, who waits for the other rather than failing half way through
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # What is erased is overwritten, not only forgotten
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
        "PRAGMA secure_delete=ON;",
    },
    # A file, since the threads of a live server have to see one database
    "TEST": {"NAME": str(STUDY_FOLDER / "test.sqlite3")},
}
DATABASES = {
    "default": (
        dj_database_url.config(conn_max_age=600, conn_health_checks=True)
        if os.environ.get("DATABASE_URL")
        else _SQLITE
    )
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("it", "Italiano")]
LOCALE_PATHS = [HERE / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATICFILES_DIRS = [("instruments", HERE.parent / "instruments" / "assets")]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Files are served as they lie in the packages: nothing has to be collected first
WHITENOISE_USE_FINDERS = True

LOGIN_URL = "owner:login"
LOGIN_REDIRECT_URL = "owner:overview"
LOGOUT_REDIRECT_URL = "owner:login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]

DATA_UPLOAD_MAX_MEMORY_SIZE = 262_144
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500
# Cookies do not tell ports apart: logins of two studies on one machine must not end each other, nor
# the forms that are open in the other
_OWN = hashlib.sha256(SECRET_KEY.encode()).hexdigest()[:8]
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"session-{_OWN}", f"csrf-{_OWN}"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"  # a personal link never leaves this site
X_FRAME_OPTIONS = "DENY"

CACHES = {
    "default": {
        # In the database, which all processes of the server share
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "studies_cache",
        # It holds who guessed how often: many addresses must not push each other out
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"masked": {"()": "attunement.studies.logs.Masked"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "masked"}},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        # Whoever scans for servers writes no pages of tracebacks
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        # A request that waits for a moment is no news; a hundred raters made hundreds of lines
        "waitress.queue": {"level": "ERROR"},
    },
}
