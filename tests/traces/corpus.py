"""Planted secrets of many kinds in realistic tool output, and look-alikes that must stay. All made up by
dice.

Every secret is random characters in a provider's shape, so none of them opens anything. `planted` yields the
text and the part of it that must not survive; `lookalikes` yields texts that must come out unchanged. The
rules were written with these; `blind_planted` and `blind_lookalikes` are by another hand, and met rules that
had never seen them.
"""

from __future__ import annotations

import base64
import hashlib
import random
import string
import uuid
from collections.abc import Callable, Iterator

from .blind_lookalikes import lookalikes as blind_lookalikes
from .blind_secrets import planted as blind_planted
from .planting import Planted

__all__ = ["KINDS", "Planted", "blind_lookalikes", "blind_planted", "lookalikes", "planted"]

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = LETTERS + "-_"


def _of(dice: random.Random, alphabet: str, count: int) -> str:
    return "".join(dice.choices(alphabet, k=count))


def _mixed(dice: random.Random, count: int) -> str:
    """Random characters that surely hold a digit and both cases, as real keys do."""
    return (
        _of(dice, LETTERS, count - 3) + dice.choice("abcdef") + dice.choice("XYZ") + dice.choice("23456789")
    )


def _pem(dice: random.Random, label: str) -> str:
    body = "\n".join(_of(dice, LETTERS + "+/", 64) for _ in range(6))
    return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"


def _jwt(dice: random.Random) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(f'{{"sub":"{dice.random()}"}}'.encode()).decode().rstrip("=")
    return f"{head}.{body}.{_of(dice, URLSAFE, 43)}"


def _basic(dice: random.Random) -> str:
    return base64.b64encode(f"svc:{_mixed(dice, 14)}".encode()).decode()


def _phone(dice: random.Random) -> str:
    a, b, c = dice.randint(200, 989), dice.randint(200, 989), dice.randint(1000, 9999)
    return dice.choice(
        [f"+1 {a} {b} {c}", f"({a}) {b}-{c}", f"+49 30 {b}{c}", f"+44 20 {c} {c}", f"{a}-{b}-{c}"]
    )


def _ip(dice: random.Random) -> str:
    numbers = (dice.choice([10, 34, 52, 172]), *(dice.randint(2, 254) for _ in range(3)))
    return ".".join(map(str, numbers))


# The secret itself, by kind: what a provider hands out.
SHAPED: dict[str, Callable[[random.Random], str]] = {
    "aws access key id": lambda d: "AKIA" + _of(d, string.ascii_uppercase + string.digits, 16),
    "openai": lambda d: "sk-proj-" + _mixed(d, 48),
    "anthropic": lambda d: "sk-ant-api03-" + _mixed(d, 60),
    "google api": lambda d: "AIza" + _mixed(d, 35),
    "google oauth": lambda d: "ya29." + _mixed(d, 60),
    "github": lambda d: d.choice(["ghp_", "gho_", "ghs_"]) + _mixed(d, 36),
    "github fine-grained": lambda d: f"github_pat_{_mixed(d, 22)}_{_mixed(d, 59)}",
    "gitlab": lambda d: "glpat-" + _mixed(d, 20),
    "slack": lambda d: f"xoxb-{d.randint(10**11, 10**12)}-{_mixed(d, 24)}",
    "slack webhook": lambda d: (
        f"https://hooks.slack.com/services/T{_mixed(d, 8)}/B{_mixed(d, 8)}/{_mixed(d, 24)}"
    ),
    "stripe": lambda d: "sk_live_" + _mixed(d, 24),
    "hugging face": lambda d: "hf_" + _mixed(d, 34),
    "npm": lambda d: "npm_" + _mixed(d, 36),
    "pypi": lambda d: "pypi-AgEIcHlwaS5vcmc" + _mixed(d, 60),
    "sendgrid": lambda d: f"SG.{_mixed(d, 22)}.{_mixed(d, 43)}",
    "twilio": lambda d: "SK" + _of(d, HEX, 32),
    "digitalocean": lambda d: "dop_v1_" + _of(d, HEX, 64),
    "databricks": lambda d: "dapi" + _of(d, HEX, 32),
    "telegram": lambda d: f"{d.randint(10**8, 10**9)}:AA{_mixed(d, 33)}",
    "azure client secret": lambda d: f"{_mixed(d, 3)}8Q~{_mixed(d, 34)}",
    "vault": lambda d: "hvs." + _mixed(d, 24),
    "docker": lambda d: "dckr_pat_" + _mixed(d, 27),
    "shopify": lambda d: "shpat_" + _of(d, HEX, 32),
    "groq": lambda d: "gsk_" + _mixed(d, 52),
    "jwt": _jwt,
    "pem": lambda d: _pem(d, d.choice(["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY"])),
    "ssh": lambda d: _pem(d, "OPENSSH PRIVATE KEY"),
    "e-mail": lambda d: (
        f"{d.choice(['mara', 'jo.li', 'p_novak'])}{d.randint(1, 99)}@{d.choice(['corp.io', 'acme.co.uk'])}"
    ),
    "phone": _phone,
    "ip": _ip,
}
SURROUNDINGS = (
    "$ env | sort\nHOME=/srv\nSERVICE_CREDS={0}\nLANG=C.UTF-8\n",
    "curl: (22) The requested URL returned error: 401\n> x-auth: {0}\n< HTTP/2 401",
    '{{"level":"info","msg":"connected","with":"{0}","took":0.21}}',
    "diff --git a/.env b/.env\n@@ -1,2 +1,2 @@\n-A=1\n+A={0}\n B=2\n",
    "Traceback (most recent call last):\n  File \"app.py\", line 3\nValueError: bad credential '{0}'\n",
    "warning: using {0} from the cache\n42 passed in 1.20s",
    "   12  client = Client({0!r})\n   13  client.go()",
    "| name | value |\n|---|---|\n| main | {0} |",
)
# What is only secret because of the words before it: the text with {0} for the secret, and the secret.
LED: dict[str, tuple[str, Callable[[random.Random], str]]] = {
    "aws secret": ("[default]\naws_secret_access_key = {0}\nregion = eu-west-1", lambda d: _mixed(d, 40)),
    "bearer": ("curl -H 'Authorization: Bearer {0}' https://api.test/v1", lambda d: _mixed(d, 32)),
    "basic": ("> Authorization: Basic {0}\n> Accept: */*", _basic),
    "basic-auth url": (
        "fatal: unable to access 'https://bot:{0}@git.corp.io/x.git/'",
        lambda d: _mixed(d, 16),
    ),
    "postgres": ("DATABASE_URL=postgres://app:{0}@db.corp.io:5432/main", lambda d: _mixed(d, 12)),
    "redis": ("connecting to redis://:{0}@cache.corp.io:6379/0", lambda d: _mixed(d, 18)),
    "azure storage": (
        "AccountName=acme;AccountKey={0};EndpointSuffix=core.windows.net",
        lambda d: _mixed(d, 86),
    ),
    "sql server": ("Server=tcp:db,1433;User ID=sa;Password={0};Encrypt=true", lambda d: _mixed(d, 14)),
    "oracle": ("jdbc:oracle:thin:app/{0}@db:1521/x", lambda d: _mixed(d, 12)),
    "env assignment": ("export DEPLOY_TOKEN={0}\necho done", lambda d: _mixed(d, 24)),
    "env password": ("POSTGRES_PASSWORD={0} docker compose up", lambda d: _mixed(d, 10)),
    "yaml password": ("db:\n  user: app\n  password: {0}\n", lambda d: _mixed(d, 12)),
    "json secret": ('{{"client_id": "web", "client_secret": "{0}"}}', lambda d: _of(d, HEX, 32)),
    "api key in code": ("client = Api(api_key='{0}', retries=3)", lambda d: _mixed(d, 28)),
    "query token": ("GET /v1/items?page=2&access_token={0} HTTP/1.1", lambda d: _mixed(d, 30)),
    "npmrc": ("//registry.corp.io/:_authToken={0}", lambda d: _mixed(d, 36)),
    "signed url": ("https://x.blob.test/f?se=2026&sig={0}", lambda d: _mixed(d, 43)),
    "api key header": ("x-api-key: {0}\naccept: application/json", lambda d: _mixed(d, 32)),
    "linux home": ('File "/home/{0}/app/main.py", line 3, in <module>', lambda d: f"mara{d.randint(10, 99)}"),
    "mac home": ("cd /Users/{0}/src && make", lambda d: f"jolene{d.randint(10, 99)}"),
    "windows home": ("C:\\Users\\{0}\\AppData\\Local\\pip\\cache", lambda d: f"pnovak{d.randint(10, 99)}"),
}
KINDS = len(SHAPED) + len(LED)


def planted(seed: int = 0, *, each: int = 12) -> Iterator[Planted]:
    """At least `each` finds of every kind."""
    for kind, make in SHAPED.items():
        for number in range(each):
            dice = random.Random(f"{seed} {kind} {number}")
            secret = make(dice)
            around = SURROUNDINGS[number % len(SURROUNDINGS)]
            spelled = around.replace("{0!r}", "'{0}'")
            yield Planted(kind, spelled.format(secret), secret)
    for kind, (around, make) in LED.items():
        for number in range(each):
            secret = make(random.Random(f"{seed} {kind} {number}"))
            yield Planted(kind, around.format(secret), secret)


def lookalikes(seed: int = 0, *, each: int = 8) -> list[str]:
    """What stands in outputs every day and is no secret."""
    return [text for number in range(each) for text in _harmless(random.Random(f"{seed} {number}"))]


def _harmless(dice: random.Random) -> Iterator[str]:
    digest = hashlib.sha256(str(dice.random()).encode()).hexdigest()
    name = str(uuid.UUID(int=dice.getrandbits(128), version=4))
    version = ".".join(str(dice.randint(0, 40)) for _ in range(3))
    number = dice.randint(1000, 99999999)
    integrity = base64.b64encode(hashlib.sha512(digest.encode()).digest()).decode()
    yield f"commit {digest[:40]}\nAuthor: a bot"
    yield f"sha256:{digest}  dist/pkg-{version}.tar.gz"
    yield f"index {digest[:7]}..{digest[8:15]} 100644"
    yield f"request id {name} took {number} ms"
    yield f'"integrity": "sha512-{integrity}"'
    yield f"md5 {digest[:32]} ok"
    yield f"Successfully installed lodash@{version} left-pad-{version}"
    yield f"max_tokens={number}, token: {number}, total_tokens: {number}"
    yield f"prompt_tokens={number} completion_tokens={number} cached_tokens={number}"
    yield "password: required\nusername: required"
    yield "api_key=os.environ['SERVICE_KEY'], token=get_token(), secret=settings.secret_key"
    yield "const token = await getToken(user); const password = form.password.value;"
    yield "Authorization: Bearer $TOKEN"
    yield "The basic understanding of bearer instruments; basic configuration/documentation follows."
    yield "API_KEY=${SERVICE_KEY} PASSWORD=$DB_PASSWORD ./run.sh"
    yield "export OPENAI_API_KEY=your-key-here  # see the docs"
    yield "password = '<your password>'  token = '***'"
    yield "for key, value in pairs: cache_key=name; primary_key=True; sort_keys=False"
    yield f"listening on 127.0.0.1:{number % 60000} and 0.0.0.0:80, netmask 255.255.255.0"
    yield f"Mozilla/5.0 Chrome/{dice.randint(90, 140)}.0.0.0 Safari/537.36"
    yield f"pip install pkg=={version}.{dice.randint(0, 9)} (v{version}.1)"
    yield f"version {version}.4 is out; assembly 10.0.{dice.randint(300, 30000)}.1"
    yield "docs: see 192.0.2.10 and 203.0.113.7 in the examples"
    yield "git clone git@github.com:org/repo.git"
    yield "write to user@example.com or noreply@github.com"
    yield "assets/icon@2x.png assets/logo@3x.webp"
    yield "import { a } from '@scope/pkg'; @app.route('/x') @pytest.fixture"
    yield f"2026-11-15T06:35:36.{number % 1000:03d}Z +02:00 [{number}]"
    yield f"@@ -{dice.randint(1, 99)},7 +{dice.randint(1, 99)},9 @@ def f():"
    yield f"+{number} insertions, -{number} deletions; +1.5e-{dice.randint(10, 99)}"
    yield "cd /home/user/app && ls /home/runner/work /Users/Shared /home/node/app"
    yield "https://shop.test/home/garden/chairs and https://a.test/Users/list"
    yield "std::vector<int> a::b::c; MAC 00:1a:2b:3c:4d:5e at 12:34:56"
    yield "skill-and-task-with-many-dashes-in-one-word; risk-assessment-for-new-markets"
    yield f"-----BEGIN CERTIFICATE-----\nMIIB{integrity[:40]}\n-----END CERTIFICATE-----"
    yield f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{integrity[:40]} key"
    yield f"GET /v1/items?page={number}&sort_key=name&limit=20 HTTP/1.1 200"
    yield f'cache_key: {digest[:16]}  etag: W/"{digest[:20]}"'
    yield f"CACHE_KEY={digest[:40]} PUBLIC_KEY={name}"
    yield f"eyes {digest[:8]} glance_at hf_transfer npm_config_cache pypi-server"
