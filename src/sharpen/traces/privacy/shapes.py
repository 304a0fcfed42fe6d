"""Credentials that are known by their shape alone: provider by provider, what it hands out.

Data only, in the syntax that Python's engine and RE2 share. Every pattern of `ALL_SHAPES` is meant to begin
where a word begins. Most specific first: of several that fit at one place the first names the find.
"""

from __future__ import annotations

from sharpen.redaction import SHAPES

_U = "[A-Za-z0-9_-]"
_A = "[A-Za-z0-9]"
_H = "[0-9a-f]"
_UUID = f"{_H}{{8}}-{_H}{{4}}-{_H}{{4}}-{_H}{{4}}-{_H}{{12}}"
TELEGRAM_TOKEN = rf"[0-9]{{8,10}}:AA{_U}{{32,34}}"

# Clouds, and what is built on them
_CLOUDS = (
    ("aws-key", r"(?:AKIA|ASIA)[A-Z0-9]{16}[,|\t ]{1,3}[A-Za-z0-9/+]{40}\b"),  # and the secret beside it
    ("google-oauth", rf"ya29\.(?:[a-z]\.)?{_U}{{20,}}|GOCSPX-{_U}{{20,}}|1//0{_U}{{40,}}"),
    ("azure-secret", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("digitalocean-token", rf"do[opr]_v1_{_H}{{32,}}"),
    ("cloudflare-key", rf"v1\.0-{_H}{{24}}-{_H}{{100,}}"),
    ("databricks-token", rf"dapi{_H}{{32}}(?:-[0-9])?\b"),
    ("fly-token", r"fm[12][ar]?_[A-Za-z0-9+/]{40,}={0,2}(?:,fm[12][ar]?_[A-Za-z0-9+/]{40,}={0,2})*"),
    ("fly-token", rf"fo1_{_U}{{40,}}"),
    ("heroku-key", rf"HRKU-{_U}{{30,}}"),
    ("supabase-key", rf"sbp_{_H}{{40}}|sb_secret_{_U}{{20,}}"),
    ("planetscale-token", r"pscale_(?:pw|tkn|oauth)_[A-Za-z0-9_.=-]{32,}"),
    ("tailscale-key", rf"tskey-[a-z]+-{_A}+-{_A}{{20,}}"),
    ("terraform-token", rf"{_A}{{14}}\.atlasv1\.{_U}{{50,}}"),
    ("pulumi-token", rf"pul-{_H}{{40}}\b"),
    ("vault-token", rf"hv[sbr]\.{_U}{{20,}}|s\.{_A}{{24}}\b"),
    ("doppler-token", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_A}{{40,44}}"),
    ("1password-token", rf"ops_eyJ{_U}{{100,}}"),
    ("bedrock-key", r"ABSK[A-Za-z0-9+/]{90,}={0,2}|bedrock-api-key-[A-Za-z0-9+/]{40,}={0,2}"),
    ("google-key", rf"AQ\.Ab8{_U}{{40,}}"),
    ("alibaba-key", rf"LTAI{_A}{{20,26}}\b"),
    ("tencent-key", rf"AKID{_A}{{32}}\b"),
    ("yandex-key", rf"AQVN{_U}{{35,38}}\b|t1\.{_U}{{20,4096}}={{0,2}}\.{_U}{{86}}={{0,2}}"),
    ("netlify-token", rf"nf[bcopu]_{_A}{{36,}}"),
    ("render-key", rf"rnd_{_A}{{28,}}"),
    ("openshift-token", rf"sha256~{_U}{{43}}"),
    ("swarm-token", r"SWMTKN-1-[a-z0-9]{40,}-[a-z0-9]{20,}"),
    ("1password-key", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b"),
    ("age-key", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
)
# Where code is kept, built, packed and watched
_WORKSHOPS = (
    ("gitlab-token", rf"(?:gl(?:soat|ft|imt|agent|oas|ffct)-{_U}{{20,}}|GR1348941{_U}{{20,}})"),
    ("docker-token", rf"dckr_(?:pat|oat)_{_U}{{20,}}"),
    ("atlassian-token", rf"AT[ACB]TT3x{_U}{{100,}}(?:={_A}{{8}})?"),
    ("package-token", rf"rubygems_{_H}{{48}}|cio{_A}{{32}}\b|oy2[a-z0-9]{{43}}\b"),
    ("artifactory-key", rf"AKC[a-z]{_A}{{60,}}|cmVmdGtu{_A}{{40,}}"),
    ("buildkite-token", rf"bk[a-z]{{1,2}}_{_H}{{40}}"),
    ("circleci-token", rf"CCIPAT_{_A}{{20,}}_{_H}{{40}}"),
    ("grafana-token", r"gl(?:sa|c)_[A-Za-z0-9+/_]{30,}={0,2}|eyJrIjoi[A-Za-z0-9+/]{40,}={0,2}"),
    ("sentry-token", r"sntry[su]_[A-Za-z0-9_=+/-]{30,}"),
    ("newrelic-key", rf"NRAK-[A-Z0-9]{{27}}\b|NR(?:JS|II|AA|IQ)-{_U}{{19,}}|{_H}{{36}}NRAL\b"),
    ("dynatrace-token", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("postman-key", rf"PMAK-{_H}{{24}}-{_H}{{34}}"),
    ("prefect-key", rf"pn[ub]_{_A}{{36}}\b"),
    ("sourcegraph-token", rf"sgp_(?:(?:{_H}{{16}}|local)_)?{_H}{{40}}\b"),
    ("harness-token", rf"[ps]at\.{_U}{{22}}\.{_A}{{24}}\.{_A}{{20}}\b"),
    ("infracost-key", rf"ico-{_A}{{32}}\b"),
    ("clojars-token", r"CLOJARS_[a-z0-9]{60}\b"),
    ("octopus-key", r"API-[A-Z0-9]{26}\b"),
    ("posthog-key", rf"ph[xs]_{_A}{{40,}}"),
    ("axiom-token", rf"xa[ip]t-{_UUID}"),
    ("logfire-token", rf"pylf_v[0-9]_[a-z]{{2}}_{_A}{{40,}}"),
    ("sonar-token", rf"sq[apu]_{_H}{{40}}"),
)
# Models
_MODELS = (
    ("model-provider-key", rf"(?:gsk_|r8_|pplx-|xai-|fw_|nvapi-|tgp_v1_|csk-|jina_|tvly-){_U}{{20,}}"),
    (
        "model-provider-key",
        rf"lsv2_(?:pt|sk)_{_H}{{32}}_{_H}{{10}}|sk_{_H}{{48}}\b|pcsk_{_U}{{50,}}|llx-{_A}{{40,}}",
    ),
    (
        "model-provider-key",
        rf"e2b_{_H}{{40}}\b|dtn_{_H}{{64}}\b|rpa_[A-Z0-9]{{40,}}|fc-{_H}{{32}}\b|crsr_{_H}{{64}}\b",
    ),
    ("huggingface-token", rf"api_org_{_A}{{30,}}"),
)
# Messages, money, work
_SERVICES = (
    ("slack-token", rf"xox[a-z]\.xox[a-z]-{_U}{{20,}}|xwfp-{_U}{{20,}}"),
    ("slack-webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}"),
    ("discord-webhook", rf"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]{{15,}}/{_U}{{30,}}"),
    (
        "teams-webhook",
        rf"[a-z0-9-]+\.webhook\.office\.com/webhookb2/{_UUID}@{_UUID}/[A-Za-z]+/{_H}{{32}}/[A-Za-z0-9-]+",
    ),
    ("discord-token", rf"[MNO]{_U}{{23,27}}\.{_U}{{6}}\.{_U}{{27,40}}"),
    ("telegram-token", TELEGRAM_TOKEN),
    ("sendgrid-key", rf"SG\.{_U}{{16,32}}\.{_U}{{16,64}}"),
    ("twilio-key", rf"(?:SK|AC){_H}{{32}}\b"),
    ("mailgun-key", rf"key-{_H}{{32}}\b|{_H}{{32}}-{_H}{{8}}-{_H}{{8}}\b"),
    ("mailchimp-key", rf"{_H}{{32}}-us[0-9]{{1,2}}\b"),
    ("mail-key", rf"xkeysib-{_H}{{64}}-{_A}{{16}}|re_{_A}{{8}}_{_A}{{20,}}"),
    ("stripe-key", rf"whsec_[A-Za-z0-9+/]{{24,}}={{0,2}}|[rs]k_prod_{_A}{{16,}}"),
    ("shopify-token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("square-token", rf"sq0[a-z]{{3}}-{_U}{{22,}}|EAAA{_U}{{60}}"),
    ("linear-key", rf"lin_(?:api|oauth)_{_A}{{30,}}"),
    ("notion-token", rf"ntn_{_A}{{40,}}|secret_{_A}{{43}}\b"),
    ("figma-token", rf"fig[dor]_{_U}{{36,}}"),
    ("airtable-token", rf"pat{_A}{{14}}\.{_H}{{64}}"),
    ("dropbox-token", rf"sl\.(?:u\.)?{_U}{{100,}}"),
    ("mapbox-token", rf"sk\.eyJ{_U}{{20,4096}}\.{_U}{{20,}}"),
    ("facebook-token", rf"EAA{_A}{{100,}}"),
    ("hubspot-token", rf"pat-(?:na|eu|ap)[0-9]-{_UUID}"),
    ("clickup-token", r"pk_[0-9]{5,10}_[A-Z0-9]{32}\b"),
    ("asana-token", rf"[12]/[0-9]{{13,}}(?:/[0-9]{{13,}})?:{_H}{{32}}\b"),
    ("easypost-key", rf"EZ[AT]K{_A}{{54}}\b"),
    ("flutterwave-key", rf"FLWSECK(?:_TEST)?-{_A}{{32}}-X"),
    (
        "payment-key",
        rf"duffel_(?:test|live)_{_U}{{43}}|shippo_(?:live|test)_{_H}{{40}}|pdl_(?:live|sdbx)_apikey_{_U}{{40,}}",
    ),
    ("plaid-token", rf"access-(?:sandbox|development|production)-{_UUID}"),
    ("readme-key", r"rdme_[a-z0-9]{70}\b"),
    ("maxmind-key", rf"{_A}{{6}}_{_A}{{29}}_mmk\b"),
    ("typeform-token", rf"tfp_{_U}{{40,}}"),
    ("contentful-token", rf"CFPAT-{_U}{{40,}}"),
    ("intercom-token", rf"dG9rOj{_A}{{40,}}={{0,2}}"),
)

_CRYPT = "[A-Za-z0-9./]"
PASSWORD_HASH = (
    rf"\$(?:[156]|2[abxy]|gy|y|7|apr1|argon2(?:id|i|d)|scrypt)\$[A-Za-z0-9./,=$+-]{{0,60}}{_CRYPT}{{22,}}"
    rf"|pbkdf2_sha[0-9]{{1,3}}\$[0-9]+\${_A}+\$[A-Za-z0-9+/]{{40,}}=?"
    r"|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{26,}={0,2}|SCRAM-SHA-256\$[0-9]+:[A-Za-z0-9+/=$:]{60,}"
)
"""As systems and databases keep them; begins with no word."""

_FROM_RUNS = tuple(
    (kind, pattern.replace(r"\b", "", 1).replace(r"|\b", "|"))
    for kind, pattern in SHAPES
    if kind != "private-key"  # whose ends `credentials.py` looks for itself
)

ALL_SHAPES: tuple[tuple[str, str], ...] = (*_CLOUDS, *_FROM_RUNS, *_WORKSHOPS, *_MODELS, *_SERVICES)
