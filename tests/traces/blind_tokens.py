"""Credentials as providers hand them out, for the corpus whose author had not read the rules.

`TOKENS` say by their shape what they are; `NAMED` are secret only because of the name beside them. All of them
are dice.
"""

# ruff: noqa: E501  (what programs print is as long as it is)

from __future__ import annotations

import base64
import json
from collections.abc import Callable

from .dice import B64, DIGITS, HEX, LOWER, UPPER, Dice

FIRST = [
    "alice",
    "marta",
    "jonas",
    "priya",
    "dmitri",
    "chen",
    "fatima",
    "lukas",
    "sofia",
    "hiroshi",
    "olu",
    "ingrid",
]
LAST = [
    "keller",
    "nguyen",
    "okafor",
    "petrov",
    "schmidt",
    "rossi",
    "tanaka",
    "silva",
    "novak",
    "haddad",
    "larsen",
]
COMPANIES = ["northwind-labs", "acmecorp", "brightpath", "initrode", "zenofy", "kestrel-data"]
TLDS = ["com", "io", "de", "co.uk", "dev", "org"]


TOKENS: dict[str, list[Callable[[Dice], str]]] = {
    "aws-access-key-id": [
        lambda d: "AKIA" + d.of(UPPER + "234567", 16),
        lambda d: "ASIA" + d.of(UPPER + "234567", 16),
    ],
    "github": [
        lambda d: "ghp_" + d.an(36),
        lambda d: "gho_" + d.an(36),
        lambda d: "ghs_" + d.an(36),
        lambda d: "ghu_" + d.an(36),
        lambda d: "ghr_" + d.an(76),
    ],
    "bedrock": [lambda d: "ABSKQmVkcm9ja0FQSUtleS" + d.of(B64, 108) + "="],
    "langsmith": [lambda d: f"lsv2_pt_{d.hex(32)}_{d.hex(10)}"],
    "dropbox": [lambda d: "sl.B" + d.u64(134)],
    "netlify": [lambda d: "nfp_" + d.an(36)],
    "mapbox": [lambda d: "sk.eyJ1Ijoi" + d.an(64) + "." + d.u64(22)],
    "github-fine-grained": [lambda d: "github_pat_" + d.an(22) + "_" + d.an(59)],
    "gitlab": [
        lambda d: "glpat-" + d.u64(20),
        lambda d: "gldt-" + d.u64(20),
        lambda d: "glrt-" + d.u64(20),
        lambda d: "glptt-" + d.hex(40),
        lambda d: "glcbt-1_" + d.u64(20),
    ],
    "slack-token": [
        lambda d: f"xoxb-{d.of(DIGITS, 12)}-{d.of(DIGITS, 13)}-{d.an(24)}",
        lambda d: f"xoxp-{d.of(DIGITS, 12)}-{d.of(DIGITS, 12)}-{d.of(DIGITS, 13)}-{d.hex(32)}",
        lambda d: f"xapp-1-A{d.of(UPPER + DIGITS, 10)}-{d.of(DIGITS, 13)}-{d.hex(64)}",
        lambda d: f"xoxe.xoxp-1-{d.an(163)}",
    ],
    "slack-webhook": [
        lambda d: (
            f"https://hooks.slack.com/services/T{d.of(UPPER + DIGITS, 9)}/B{d.of(UPPER + DIGITS, 10)}/{d.an(24)}"
        )
    ],
    "stripe": [
        lambda d: "sk_live_" + d.an(24),
        lambda d: "rk_live_" + d.an(98),
        lambda d: "sk_test_51" + d.an(97),
        lambda d: "whsec_" + d.an(32),
    ],
    "openai": [
        lambda d: "sk-" + d.an(20) + "T3BlbkFJ" + d.an(20),
        lambda d: "sk-proj-" + d.u64(74) + "T3BlbkFJ" + d.u64(74),
        lambda d: "sk-svcacct-" + d.u64(58) + "T3BlbkFJ" + d.u64(58),
        lambda d: "sk-admin-" + d.u64(58) + "T3BlbkFJ" + d.u64(58),
    ],
    "anthropic": [
        lambda d: "sk-ant-api03-" + d.u64(93) + "AA",
        lambda d: "sk-ant-admin01-" + d.u64(93) + "AA",
        lambda d: "sk-ant-oat01-" + d.u64(93) + "AA",
    ],
    "openrouter-groq-xai": [
        lambda d: "sk-or-v1-" + d.hex(64),
        lambda d: "gsk_" + d.an(52),
        lambda d: "xai-" + d.an(80),
        lambda d: "pplx-" + d.an(48),
        lambda d: "r8_" + d.an(37),
        lambda d: "fw_" + d.an(24),
    ],
    "google-api": [lambda d: "AIza" + d.u64(35)],
    "google-oauth": [
        lambda d: "GOCSPX-" + d.u64(28),
        lambda d: "ya29.a0" + d.u64(160),
        lambda d: "1//0" + d.u64(60),
    ],
    "huggingface": [
        lambda d: "hf_" + d.of(LOWER + UPPER, 34),
        lambda d: "api_org_" + d.of(LOWER + UPPER, 34),
    ],
    "npm": [lambda d: "npm_" + d.an(36)],
    "pypi": [lambda d: "pypi-AgEIcHlwaS5vcmc" + d.u64(150)],
    "docker": [lambda d: "dckr_pat_" + d.u64(27), lambda d: "dckr_oat_" + d.u64(32)],
    "twilio": [lambda d: "SK" + d.hex(32)],
    "sendgrid": [lambda d: "SG." + d.u64(22) + "." + d.u64(43)],
    "mailgun": [lambda d: "key-" + d.hex(32), lambda d: f"{d.hex(32)}-{d.hex(8)}-{d.hex(8)}"],
    "mailchimp": [lambda d: d.hex(32) + "-us" + str(d.randrange(1, 21))],
    "telegram": [lambda d: d.choice("123456789") + d.of(DIGITS, 9) + ":AA" + d.u64(33)],
    "discord-webhook": [
        lambda d: f"https://discord.com/api/webhooks/{d.of('123456789', 18)}/{d.u64(68)}",
        lambda d: f"https://discordapp.com/api/webhooks/{d.of('123456789', 19)}/{d.u64(68)}",
    ],
    "discord-bot": [lambda d: d.choice("MNO") + d.an(25) + "." + d.an(6) + "." + d.u64(38)],
    "teams-webhook": [
        lambda d: (
            f"https://{d.choice(COMPANIES).replace('-', '')}.webhook.office.com/webhookb2/{d.uuid()}@{d.uuid()}"
            f"/IncomingWebhook/{d.hex(32)}/{d.uuid()}"
        )
    ],
    "newrelic": [lambda d: "NRAK-" + d.of(UPPER + DIGITS, 27), lambda d: "NRJS-" + d.hex(19)],
    "heroku": [lambda d: "HRKU-AA" + d.u64(58)],
    "digitalocean": [
        lambda d: "dop_v1_" + d.hex(64),
        lambda d: "doo_v1_" + d.hex(64),
        lambda d: "dor_v1_" + d.hex(64),
    ],
    "cloudflare-origin": [lambda d: "v1.0-" + d.hex(24) + "-" + d.hex(146)],
    "vault": [
        lambda d: "hvs." + d.u64(95),
        lambda d: "hvb." + d.u64(140),
        lambda d: "s." + d.an(24),
    ],
    "databricks": [lambda d: "dapi" + d.hex(32), lambda d: "dapi" + d.hex(32) + "-2"],
    "terraform": [lambda d: d.an(14) + ".atlasv1." + d.u64(67)],
    "fly": [lambda d: "FlyV1 fm2_" + d.b64(90).rstrip("=") + d.an(1), lambda d: "fo1_" + d.u64(43)],
    "supabase": [lambda d: "sbp_" + d.hex(40), lambda d: "sb_secret_" + d.u64(31)],
    "linear": [lambda d: "lin_api_" + d.an(40), lambda d: "lin_oauth_" + d.hex(64)],
    "notion": [lambda d: "secret_" + d.an(43), lambda d: "ntn_" + d.an(46)],
    "figma": [lambda d: "figd_" + d.u64(40)],
    "shopify": [
        lambda d: "shpat_" + d.hex(32),
        lambda d: "shpss_" + d.hex(32),
        lambda d: "shpca_" + d.hex(32),
        lambda d: "shppa_" + d.hex(32),
    ],
    "square": [
        lambda d: "sq0atp-" + d.u64(22),
        lambda d: "sq0csp-" + d.u64(43),
        lambda d: "EAAAE" + d.u64(59),
    ],
    "jwt": [
        lambda d: ".".join(
            base64.urlsafe_b64encode(p).decode().rstrip("=")
            for p in (
                b'{"alg":"HS256","typ":"JWT"}',
                json.dumps({"sub": d.of(DIGITS, 10), "name": d.choice(FIRST), "iat": 1700000000}).encode(),
                d.randbytes(32),
            )
        ),
        lambda d: ".".join(
            base64.urlsafe_b64encode(p).decode().rstrip("=")
            for p in (
                json.dumps({"alg": "RS256", "kid": d.hex(16), "typ": "JWT"}).encode(),
                json.dumps({"iss": "https://auth.example", "sub": d.uuid(), "scope": "read write"}).encode(),
                d.randbytes(256),
            )
        ),
    ],
    "atlassian": [
        lambda d: "ATATT3xFfGF0" + d.u64(180) + "=" + d.of(HEX.upper(), 8),
        lambda d: "ATCTT3xFfGN0" + d.u64(170),
    ],
    "grafana": [
        lambda d: "glsa_" + d.an(32) + "_" + d.hex(8),
        lambda d: "glc_" + d.b64(60).rstrip("="),
        lambda d: "eyJrIjoi" + d.b64(57),
    ],
    "sentry": [
        lambda d: (
            "sntrys_"
            + base64.b64encode(json.dumps({"iat": 1700000000.1, "url": "https://sentry.io"}).encode())
            .decode()
            .rstrip("=")
            + "_"
            + d.b64(32).rstrip("=")
        ),
        lambda d: "sntryu_" + d.hex(64),
    ],
    "sentry-dsn": [
        lambda d: f"https://{d.hex(32)}@o{d.of(DIGITS, 6)}.ingest.sentry.io/{d.of('123456789', 7)}"
    ],
    "postman-pulumi-doppler": [
        lambda d: "PMAK-" + d.hex(24) + "-" + d.hex(34),
        lambda d: "pul-" + d.hex(40),
        lambda d: "dp.pt." + d.an(43),
        lambda d: "dp.st.prd." + d.an(40),
    ],
    "age-planetscale-buildkite": [
        lambda d: "AGE-SECRET-KEY-1" + d.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
        lambda d: "pscale_pw_" + d.u64(43),
        lambda d: "pscale_tkn_" + d.u64(43),
        lambda d: "bkua_" + d.hex(40),
        lambda d: "rubygems_" + d.hex(48),
        lambda d: "dt0c01." + d.of(UPPER + DIGITS, 24) + "." + d.of(UPPER + DIGITS, 64),
        lambda d: "ops_eyJ" + d.u64(260),
        lambda d: "cio" + d.an(32),
        lambda d: "tskey-auth-k" + d.an(10) + "CNTRL-" + d.an(32),
        lambda d: "CFPAT-" + d.u64(43),
    ],
    "azure-ad-secret": [lambda d: d.an(3) + d.choice("78") + "Q~" + d.u64(34)],
    "artifactory": [lambda d: "AKCp" + d.an(69), lambda d: "cmVmdGtuOjAxOj" + d.an(50)],
}
# `cio`+ and `v1.0-` prefixes are known for crates.io and Cloudflare origin keys.

# Providers whose keys have no form of their own: only the name beside them tells.
NAMED: dict[str, list[tuple[str, Callable[[Dice], str]]]] = {
    "aws-secret": [
        ("AWS_SECRET_ACCESS_KEY", lambda d: d.of(B64, 40)),
        ("aws_secret_access_key", lambda d: d.of(B64, 40)),
        ("SecretAccessKey", lambda d: d.of(B64, 40)),
    ],
    "aws-session": [
        ("AWS_SESSION_TOKEN", lambda d: "IQoJb3JpZ2luX2Vj" + d.b64(210)),
        ("SessionToken", lambda d: "FwoGZXIvYXdzE" + d.b64(201)),
    ],
    "azure-storage": [
        ("AccountKey", lambda d: d.b64(64)),
        ("AZURE_STORAGE_KEY", lambda d: d.b64(64)),
        ("AZURE_STORAGE_ACCOUNT_KEY", lambda d: d.b64(64)),
    ],
    "azure-client-secret": [
        ("AZURE_CLIENT_SECRET", lambda d: d.an(3) + "8Q~" + d.u64(34)),
        ("client_secret", lambda d: d.u64(34)),
    ],
    "datadog": [
        ("DD_API_KEY", lambda d: d.hex(32)),
        ("DATADOG_APP_KEY", lambda d: d.hex(40)),
        ("DD_APP_KEY", lambda d: d.hex(40)),
    ],
    "newrelic-license": [("NEW_RELIC_LICENSE_KEY", lambda d: d.hex(36) + "NRAL")],
    "heroku-key": [("HEROKU_API_KEY", lambda d: d.uuid())],
    "cloudflare": [
        ("CLOUDFLARE_API_TOKEN", lambda d: d.u64(40)),
        ("CF_API_KEY", lambda d: d.hex(37)),
        ("CLOUDFLARE_API_KEY", lambda d: d.hex(37)),
    ],
    "vercel": [("VERCEL_TOKEN", lambda d: d.an(24))],
    "twilio-auth": [("TWILIO_AUTH_TOKEN", lambda d: d.hex(32))],
    "mistral-cohere": [
        ("MISTRAL_API_KEY", lambda d: d.an(32)),
        ("COHERE_API_KEY", lambda d: d.an(40)),
        ("DEEPSEEK_API_KEY", lambda d: "sk-" + d.hex(32)),
    ],
    "django": [
        ("SECRET_KEY", lambda d: d.of(LOWER + DIGITS + "!@#$%^&*(-_=+)", 49) + "x"),
        ("DJANGO_SECRET_KEY", lambda d: d.an(50)),
    ],
    "assigned-password": [
        ("DB_PASSWORD", lambda d: d.password()),
        ("POSTGRES_PASSWORD", lambda d: d.password()),
        ("MYSQL_ROOT_PASSWORD", lambda d: d.password()),
        ("password", lambda d: d.password()),
        ("REDIS_PASSWORD", lambda d: d.password()),
        ("SMTP_PASS", lambda d: d.password()),
        ("db_passwd", lambda d: d.password()),
        ("PGPASSWORD", lambda d: d.password()),
        ("adminPassword", lambda d: d.password()),
        ("KEYSTORE_PASSPHRASE", lambda d: d.password()),
    ],
    "assigned-token": [
        ("API_KEY", lambda d: d.an(32)),
        ("api-key", lambda d: d.an(32)),
        ("apiKey", lambda d: d.an(32)),
        ("ACCESS_TOKEN", lambda d: d.u64(40)),
        ("refresh_token", lambda d: d.u64(48)),
        ("clientSecret", lambda d: d.an(32)),
        ("JWT_SECRET", lambda d: d.an(44)),
        ("SESSION_SECRET", lambda d: d.hex(64)),
        ("ENCRYPTION_KEY", lambda d: d.b64(32)),
        ("SIGNING_KEY", lambda d: d.b64(32)),
        ("WEBHOOK_SECRET", lambda d: d.hex(40)),
        ("AUTH_TOKEN", lambda d: d.hex(40)),
        ("ALGOLIA_ADMIN_KEY", lambda d: d.hex(32)),
        ("STORAGE_ACCESS_KEY", lambda d: d.an(20)),
        ("private_key", lambda d: d.hex(64)),
        ("NEXTAUTH_SECRET", lambda d: d.b64(32)),
        ("ROLLBAR_ACCESS_TOKEN", lambda d: d.hex(32)),
        ("SONAR_TOKEN", lambda d: d.hex(40)),
        ("CODECOV_TOKEN", lambda d: d.uuid()),
        ("RAILS_MASTER_KEY", lambda d: d.hex(32)),
    ],
}
