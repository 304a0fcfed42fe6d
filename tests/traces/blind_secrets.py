"""Secrets in realistic tool output, by an author who had not read the rules: env dumps, requests, diffs, logs
with colours, files of a dozen formats, JSON inside JSON, and whatever tells who the user is.

`planted` throws the same dice every time.
"""

# ruff: noqa: E501  (what programs print is as long as it is)

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from urllib.parse import quote

from .blind_tokens import COMPANIES, FIRST, LAST, NAMED, TLDS, TOKENS
from .dice import B64, DIGITS, LOWER, Dice
from .planting import Planted, plant


def where_token(d: Dice, v: str) -> str:
    host = f"api.{d.choice(COMPANIES)}.com"
    stamp = f"2026-0{d.randrange(1, 9)}-1{d.randrange(9)}T0{d.randrange(9)}:1{d.randrange(9)}:4{d.randrange(9)}.123Z"
    places = [
        lambda: f"HOME=/root\nPATH=/usr/local/bin:/usr/bin\nMY_VALUE={v}\nSHLVL=1\nPWD=/app\n",
        lambda: f"> POST /v1/run HTTP/2\n> Host: {host}\n> X-Custom: {v}\n> accept: */*\n>\n< HTTP/2 401\n",
        lambda: json.dumps({"role": "tool", "content": json.dumps({"note": f"use {v} for now", "ok": True})}),
        lambda: f"{stamp} \x1b[33mWARN\x1b[0m client: retrying with \x1b[36m{v}\x1b[0m (attempt 2/5)\n",
        lambda: f"diff --git a/conf.py b/conf.py\n@@ -1,2 +1,2 @@\n-VALUE = None\n+VALUE = '{v}'\n context\n",
        lambda: (
            f'Traceback (most recent call last):\n  File "/app/run.py", line 3, in <module>\n    go("{v}")\nValueError: invalid value: {v}\n'
        ),
        lambda: f"line one\r\nvalue: {v}\r\nline three\r\n",
        lambda: f"config.yml:14:  value: {v}\nsrc/main.rs:3:    let x = 1;\n",
        lambda: (
            f"{stamp} INFO [worker-3] request id={d.uuid()} sha={d.hex(40)} using {v}\n{stamp} INFO done in 12ms\n"
        ),
        lambda: (
            f'  ~ resource "aws_ssm_parameter" "x" {{\n      ~ value = "{v}" -> (known after apply)\n    }}\n'
        ),
        lambda: f"grep: match\n./.env.bak:3:{v}\n./data.bin: binary\n",
        lambda: f"| id | value |\n|---|---|\n| 7 | `{v}` |\n",
        lambda: f"curl -s https://{host}/v1/items -H 'X-Whatever: {v}' | jq .\n",
        lambda: f"(tok={v})",
        lambda: f"-     {v}\n",
    ]
    return d.choice(places)()


def where_named(d: Dice, name: str, v: str) -> str:
    q = json.dumps(v)
    quoted = v.replace("'", "")
    upper = name.upper().replace("-", "_")
    places = [
        lambda: f"{upper}={v}\nNODE_ENV=production\n",
        lambda: f"export {upper}='{quoted}'\necho ok\n",
        lambda: f'export {upper}="{v}"\n',
        lambda: f'services:\n  web:\n    environment:\n      {name}: {q}\n      DEBUG: "0"\n',
        lambda: f"web:\n  {name}: '{quoted}'\n  replicas: 2\n",
        lambda: json.dumps({"region": "eu", name: v, "retries": 3}, indent=2),
        lambda: json.dumps({"region": "eu", name: v}),
        lambda: json.dumps(json.dumps({name: v, "x": 1})),
        lambda: f"[default]\nregion = eu-west-1\n{name} = {v}\noutput = json\n",
        lambda: f"[service]\n{name} = {q}\nport = 8080\n",
        lambda: f"docker run --rm -e {upper}={v} -p 80:80 web:1.2\n",
        lambda: f"+{upper}={v}\n-{upper}=\n",
        lambda: f"\x1b[32m{upper}\x1b[0m=\x1b[33m{v}\x1b[0m\n",
        lambda: f"{upper}={v}\r\nTERM=xterm\r\n",
        lambda: f"12:01:33 DEBUG settings loaded: {{'{name}': '{quoted}', 'debug': False}}\n",
        lambda: f'os.environ["{upper}"] = {q}\n',
        lambda: f"    const {name.replace('-', '_')} = {q};\n",
        lambda: f"      ENV {upper} {v}\n",
    ]
    # forms where white space or odd characters would make the secret's end a matter of taste are left to quotes
    return d.choice(places)()


def planted(seed: int = 505, *, rounds: int = 8) -> Iterator[Planted]:
    """About 200 texts a round."""
    dice = Dice(seed)
    for kind, makers in TOKENS.items():
        for number in range(max(rounds, len(makers) * 2)):
            secret = makers[number % len(makers)](dice)
            yield plant(kind, where_token(dice, secret), secret)
    for kind, names in NAMED.items():
        for number in range(max(rounds, len(names) * 3)):
            name, make = names[number % len(names)]
            secret = make(dice)
            yield plant(kind, where_named(dice, name, secret), secret)
    for _ in range(rounds):
        yield from contextual(dice)
        yield from told_to_programs(dice)
        yield from answered(dice)
        yield from personal(dice)
        yield from accounts(dice)


def pem(d: Dice, label: str, size: int = 12) -> str:
    body = "\n".join(d.of(B64, 64) for _ in range(size)) + "\n" + d.of(B64, 30) + "=="
    return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"


def contextual(d: Dice) -> Iterator[Planted]:
    host = f"{d.choice(['db', 'cache', 'mq', 'mail'])}.{d.choice(COMPANIES)}.internal"
    pw = d.urlpassword()
    u = d.choice(["app", "svc_deploy", "root", "admin", "ci-bot"])
    # PEM: the body is the secret
    for label in d.sample(
        [
            "RSA PRIVATE KEY",
            "EC PRIVATE KEY",
            "OPENSSH PRIVATE KEY",
            "PRIVATE KEY",
            "ENCRYPTED PRIVATE KEY",
            "DSA PRIVATE KEY",
        ],
        3,
    ):
        text = pem(d, label)
        line = text.split("\n")[d.randrange(2, 10)]
        form = d.randrange(5)
        if form == 0:
            yield plant("pem", f"$ cat id\n{text}\n$", line)
        elif form == 1:
            yield plant(
                "pem-single-line",
                json.dumps({"private_key": text + "\n", "client_email": "x"}),
                line.replace("/", "/"),
            )
        elif form == 2:
            yield plant("pem-single-line", 'KEY="' + text.replace("\n", "\\n") + '"\n', line)
        elif form == 3:
            yield plant("pem-diff", "\n".join("+" + x for x in text.split("\n")) + "\n", line)
        else:
            yield plant(
                "pem-yaml", "tls:\n  key: |\n" + "\n".join("    " + x for x in text.split("\n")) + "\n", line
            )
    pgp = pem(d, "PGP PRIVATE KEY BLOCK")
    pgp = pgp.replace("-----\n", "-----\nVersion: GnuPG v2\n\n", 1)
    yield plant("pem-pgp", f"gpg --export-secret-keys\n{pgp}\n", pgp.split("\n")[6])
    cut = pem(d, "RSA PRIVATE KEY", 20).split("\n")
    yield plant("pem-cut", "\n".join(cut[:9]) + "\n", cut[5])
    numbered = "\n".join(f"{i:6}\t{x}" for i, x in enumerate(pem(d, "PRIVATE KEY").split("\n"), 1))
    yield plant("pem-numbered", numbered, numbered.split("\n")[5].split("\t")[1])

    sa = {
        "type": "service_account",
        "project_id": "proj-1",
        "private_key_id": d.hex(40),
        "private_key": pem(d, "PRIVATE KEY") + "\n",
        "client_email": f"robot@{d.choice(COMPANIES)}-1.iam.gserviceaccount.com",
        "client_id": d.of(DIGITS, 21),
    }
    yield plant("gcp-service-account", json.dumps(sa, indent=2), sa["private_key"].split("\n")[4])
    yield plant("gcp-service-account", json.dumps({"out": json.dumps(sa)}), sa["private_key"].split("\n")[7])
    # headers
    t = d.u64(40)
    yield plant("bearer", f"curl -H 'Authorization: Bearer {t}' https://{host}/v1\n", t)
    t = d.an(32)
    yield plant("bearer", f"> GET / HTTP/1.1\r\n> authorization: bearer {t}\r\n> accept: */*\r\n", t)
    t = d.b64(36)
    yield plant("bearer", json.dumps({"headers": {"Authorization": f"Bearer {t}"}}), t)
    t = d.hex(40)
    yield plant("token-header", f"-H \"Authorization: token {t}\" -H 'Accept: json'\n", t)
    t = d.an(32)
    yield plant("token-header", f"< x-api-key: {t}\n< date: now\n", t)
    t = d.u64(20)
    yield plant("token-header", f"curl --header 'PRIVATE-TOKEN: {t}' https://git.{host}/api/v4\n", t)
    t = d.hex(32)
    yield plant("token-header", f"  'X-Auth-Token': '{t}',\n", t)
    t = base64.b64encode(f"{u}:{pw}".encode()).decode()
    yield plant("basic-header", f"> Authorization: Basic {t}\n> User-Agent: curl/8.5.0\n", t)
    t = base64.b64encode(f"{u}:{pw}x".encode()).decode()
    yield plant("basic-header", json.dumps({"request": {"headers": {"authorization": "Basic " + t}}}), t)
    # URLs
    for scheme, port in [
        ("https", 443),
        ("postgres", 5432),
        ("postgresql", 5432),
        ("mysql", 3306),
        ("mongodb+srv", 27017),
        ("redis", 6379),
        ("rediss", 6380),
        ("amqp", 5672),
        ("smtp", 587),
        ("ftp", 21),
    ]:
        pw2 = d.urlpassword()
        tail = "" if scheme == "mongodb+srv" else f":{port}"
        url = f"{scheme}://{u}:{pw2}@{host}{tail}/main"
        form = d.randrange(5)
        text = [
            f"origin\t{url} (fetch)\norigin\t{url} (push)\n",
            json.dumps({"url": url, "ok": 1}),
            f"sqlalchemy.exc.OperationalError: could not connect to {url}?sslmode=require\n",
            f"DATABASE_URL={url}\n",
            f'+  url: "{url}"\n',
        ][form]
        yield plant("url-" + scheme, text, pw2)
    enc = quote(d.an(5) + "@" + d.an(4) + "/" + d.an(3) + "#", safe="")
    yield plant("url-percent", f"DATABASE_URL=postgres://{u}:{enc}@{host}/app\n", enc)
    pw2 = d.urlpassword()
    yield plant("url-no-user", f"redis://:{pw2}@{host}:6379/0\n", pw2)
    t = d.an(36)
    yield plant("url-token-user", f"https://{t}@github.com/org/repo.git\n", t)
    t = "gh" + "p_" + d.an(36)
    yield plant("url-x-access-token", f"remote: https://x-access-token:{t}@github.com/org/repo.git\n", t)
    t = d.an(32)
    yield plant("url-query", f"GET https://{host}/v1/geo?q=berlin&api_key={t}&format=json 200\n", t)
    t = d.u64(30)
    yield plant("url-query", f'GET /callback?state=1&access_token={t} HTTP/1.1" 302\n', t)
    t = d.hex(40)
    yield plant("url-query", f"wss://{host}/stream?token={t}\n", t)
    sig = quote(d.b64(32), safe="")
    yield plant(
        "azure-sas",
        f"https://{d.of(LOWER, 10)}.blob.core.windows.net/c/f.bin?sv=2022-11-02&ss=b&srt=sco&sp=rwdl&se=2027-01-01T00:00:00Z&st=2026-01-01T00:00:00Z&spr=https&sig={sig}\n",
        sig,
    )
    sig = d.hex(64)
    yield plant(
        "aws-presigned",
        f"https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260101T000000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature={sig}\n",
        sig,
    )
    # connection strings
    k = d.b64(64)
    yield plant(
        "azure-connection",
        f"DefaultEndpointsProtocol=https;AccountName={d.of(LOWER, 10)};AccountKey={k};EndpointSuffix=core.windows.net\n",
        k,
    )
    k = d.b64(32)
    yield plant(
        "azure-servicebus",
        f"Endpoint=sb://{d.of(LOWER, 8)}.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={k}\n",
        k,
    )
    yield plant(
        "ado", f"Server=tcp:{host},1433;Initial Catalog=app;User ID={u};Password={pw};Encrypt=True;\n", pw
    )
    pw3 = d.urlpassword()
    yield plant("ado", f'"DefaultConnection": "Data Source={host};Database=x;Uid={u};Pwd={pw3};"\n', pw3)
    pw3 = d.urlpassword()
    yield plant(
        "jdbc", f"jdbc:sqlserver://{host}:1433;databaseName=app;user={u};password={pw3};encrypt=true\n", pw3
    )
    pw3 = d.urlpassword()
    yield plant(
        "jdbc", f"spring.datasource.url=jdbc:mysql://{host}/app?user={u}&password={pw3}&useSSL=false\n", pw3
    )
    pw3 = d.urlpassword()
    yield plant("jdbc", f"jdbc:oracle:thin:{u}/{pw3}@{host}:1521/ORCL\n", pw3)
    pw3 = d.urlpassword()
    yield plant(
        "odbc", f"DRIVER={{ODBC Driver 18 for SQL Server}};SERVER={host};DATABASE=x;UID={u};PWD={pw3}\n", pw3
    )
    pw3 = d.urlpassword()
    yield plant("libpq", f'psycopg2.connect("host={host} dbname=x user={u} password={pw3} port=5432")\n', pw3)
    # files
    raw = d.password().encode() + b"zz"
    enc64 = base64.b64encode(raw).decode()
    yield plant(
        "kubectl-secret",
        f"apiVersion: v1\ndata:\n  password: {enc64}\n  username: YWRtaW4=\nkind: Secret\nmetadata:\n  name: db\n",
        enc64,
    )
    enc64 = base64.b64encode(d.an(30).encode()).decode()
    yield plant(
        "kubectl-secret",
        f"apiVersion: v1\nkind: Secret\ntype: Opaque\ndata:\n  config.json: {enc64}\n",
        enc64,
    )
    pw3 = d.urlpassword()
    yield plant("netrc", f"machine {host}\n  login {u}\n  password {pw3}\n", pw3)
    pw3 = d.urlpassword()
    yield plant("netrc", f"machine {host} login {u} password {pw3}\n", pw3)
    pw3 = d.urlpassword()
    yield plant("pgpass", f"$ cat ~/.pgpass\n{host}:5432:appdb:{u}:{pw3}\n", pw3)
    t = d.uuid()
    yield plant("npmrc", f"//registry.{host}/:_authToken={t}\nalways-auth=true\n", t)
    t = base64.b64encode(f"{u}:{pw}".encode()).decode()
    yield plant("npmrc", f"//npm.{host}/:_auth={t}\n", t)
    pw3 = d.password()
    yield plant("pypirc", f"[pypi]\nusername = {u}\npassword = {pw3}\n", pw3)
    t = d.b64(300)
    yield plant(
        "kubeconfig",
        f"users:\n- name: dev\n  user:\n    client-certificate-data: {d.b64(60)}\n    client-key-data: {t}\n",
        t,
    )
    t = d.u64(60)
    yield plant("kubeconfig", f"users:\n- name: dev\n  user:\n    token: {t}\n", t)
    t = base64.b64encode(f"{u}:{d.an(20)}".encode()).decode()
    yield plant(
        "docker-config", json.dumps({"auths": {"https://index.docker.io/v1/": {"auth": t}}}, indent=1), t
    )
    pw3 = d.urlpassword()
    yield plant("curl-u", f"$ curl -sS -u {u}:{pw3} https://{host}/api\n", pw3)
    pw3 = d.urlpassword()
    yield plant("curl-u", f"curl --user '{u}:{pw3}' -X POST https://{host}/\n", pw3)
    pw3 = d.urlpassword()
    yield plant("cli-password", f"mysql -h {host} -u {u} -p{pw3} app < dump.sql\n", pw3)
    pw3 = d.urlpassword()
    yield plant("cli-password", f"docker login -u {u} --password {pw3} registry.{host}\n", pw3)
    pw3 = d.urlpassword()
    yield plant("cli-password", f"PGPASSWORD={pw3} psql -h {host} -U {u} -c 'select 1'\n", pw3)
    pw3 = d.urlpassword()
    yield plant("cli-password", f"sshpass -p '{pw3}' ssh {u}@{host} uptime\n", pw3)
    pw3 = d.urlpassword()
    yield plant("cli-password", f"redis-cli -h {host} -a {pw3} ping\n", pw3)
    t = d.u64(40)
    yield plant("cli-token", f"gh-tool deploy --token={t} --prod\n", t)
    t = d.an(40)
    yield plant("cli-token", f"vercel --token {t} --prod\n", t)
    t = d.hex(32)
    yield plant("cookie", f"> Cookie: sessionid={t}; csrftoken={d.an(32)}; theme=dark\n", t)
    t = d.u64(60)
    yield plant("cookie", f"< Set-Cookie: connect.sid=s%3A{t}; Path=/; HttpOnly; SameSite=Lax\n", t)
    t = d.an(43)
    yield plant("cookie", f"curl -b 'auth_session={t}' https://{host}/\n", t)
    # awkward forms
    t = d.an(40)
    yield plant("dict-key-escaped", json.dumps(json.dumps(json.dumps({"api_key": t}))), t)
    yield plant("percent-json", quote(json.dumps({"password": (p := d.an(16))})), p)
    t = d.an(36)
    yield plant("wrapped", "export API_TOKEN=\\\n  " + t + "\n", t)
    t = d.an(36)
    yield plant("sql", f"ALTER USER {u} WITH PASSWORD '{t}';\n", t)
    t = d.urlpassword()
    yield plant("sql", f"CREATE USER '{u}'@'%' IDENTIFIED BY '{t}';\n", t)
    t = d.urlpassword()
    yield plant("prose", f"The login works now: user {u}, password: {t}\n", t)
    t = d.urlpassword()
    yield plant(
        "xml", f"<server><id>nexus</id><username>{u}</username><password>{t}</password></server>\n", t
    )
    t = d.urlpassword()
    yield plant("xml", f'<add key="ApiKey" value="{t}" />\n', t)
    t = d.an(40)
    yield plant("terraform-plan", f'      + api_token = "{t}"\n      + name      = "x"\n', t)
    t = d.urlpassword()
    yield plant("terraform-vars", f'db_password       = "{t}"\n', t)
    t = d.urlpassword()
    yield plant(
        "k8s-env",
        f'        - name: DB_PASSWORD\n          value: {t}\n        - name: PORT\n          value: "80"\n',
        t,
    )
    t = d.urlpassword()
    yield plant(
        "describe-env",
        f"    Environment:\n      DB_HOST:      {host}\n      DB_PASSWORD:  {t}\n      PORT:         80\n",
        t,
    )
    t = d.an(32)
    yield plant("powershell", f'$env:API_KEY = "{t}"\n', t)
    t = d.an(32)
    yield plant("windows-set", f"C:\\> set API_KEY={t}\r\n", t)
    t = d.an(32)
    yield plant("repr", f"Settings(host='{host}', api_key='{t}', debug=False)\n", t)
    t = d.an(32)
    yield plant("repr", f"SecretStr: token='{t}' expires=3600\n", t)
    t = d.an(32)
    yield plant("go-struct", f'Config{{Host:"{host}", APIKey:"{t}", Debug:false}}\n', t)
    t = d.an(32)
    yield plant("ruby-hash", f'{{:api_key=>"{t}", "region" => "eu"}}\n', t)
    t = d.an(32)
    yield plant("php", f"define('DB_PASSWORD', '{t}');\n'api_key' => 'x',\n", t)
    t = d.an(32)
    yield plant("properties", f"spring.datasource.password={t}\nserver.port=80\n", t)


def personal(d: Dice) -> Iterator[Planted]:
    first, last = d.choice(FIRST), d.choice(LAST)
    name = d.choice([first[0] + last, first + "." + last, first + last[0], first])
    if len(name) < 5:
        name = name + last[:4]
    co, tld = d.choice(COMPANIES), d.choice(TLDS)
    mail = f"{first}.{last}@{co}.{tld}"
    yield plant(
        "email",
        f"Author: {first.title()} {last.title()} <{mail}>\nDate:   Mon Jan 5 10:00:00 2026 +0100\n",
        mail,
    )
    mail = f"{first}+test{d.randrange(99)}@mail.{co}.{tld}"
    yield plant("email", json.dumps({"user": {"email": mail}}), mail)
    mail = f"{first}_{last}{d.randrange(99)}@gmail.com"
    yield plant("email", f"550 5.1.1 <{mail}>: Recipient address rejected\r\n", mail)
    mail = f"{last}@{co}.{tld}"
    yield plant("email", f"[mailto:{mail}](mail) \x1b[1m{mail}\x1b[0m\n", mail)
    local, dom = f"{first}.{last}", f"{co}.{tld}"
    yield plant("email-percent", f"GET /reset?email={local}%40{dom}&x=1\n", f"{local}%40{dom}")
    n = d.phone_digits
    phones = [
        f"+1 ({n(3)}) {n(3)}-{n(4)}",
        f"+1-{n(3)}-{n(3)}-{n(4)}",
        f"({n(3)}) {n(3)}-{n(4)}",
        f"+1{n(10)}",
        f"+49 {n(3)} {n(7)}",
        f"+49 (0){n(2)} {n(4)} {n(4)}",
        f"+44 20 {n(4)} {n(4)}",
        f"+44 7{n(3)} {n(6)}",
        f"+33 6 {n(2)} {n(2)} {n(2)} {n(2)}",
        f"+91 {n(5)} {n(5)}",
        f"+86 13{n(1)} {n(4)} {n(4)}",
        f"+81-90-{n(4)}-{n(4)}",
        f"+55 11 9{n(4)}-{n(4)}",
        f"+61 4{n(2)} {n(3)} {n(3)}",
        f"+41 79 {n(3)} {n(2)} {n(2)}",
        f"+4915{n(9)}",
        f"{n(3)}-{n(3)}-{n(4)}",
        f"0{n(3)} {n(7)}",
    ]
    for phone in d.sample(phones[:16], 4):
        form = d.randrange(4)
        yield plant(
            "phone",
            [
                f"Phone: {phone}\nFax: -\n",
                json.dumps({"phone": phone, "id": 4}),
                f"call me at {phone}, thanks\n",
                f"{first.title()} {last.title()},{phone},Berlin\n",
            ][form],
            phone,
        )
    yield plant("phone-labelled", f"Tel.: {phones[17]}\n", phones[17])
    yield plant("phone-labelled", f'phone_number: "{phones[16]}"\n', phones[16])
    ip = f"{d.choice([34, 52, 78, 85, 91, 142, 185, 217])}.{d.randrange(1, 255)}.{d.randrange(1, 255)}.{d.randrange(1, 255)}"
    yield plant(
        "ipv4",
        [
            f'{ip} - - [05/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 12\n',
            f"ssh: connect to host {ip} port 22: Connection timed out\n",
            f"*   Trying {ip}:443...\n",
            f'{{"client_ip":"{ip}"}}',
        ][d.randrange(4)],
        ip,
    )
    ip = d.choice(
        [
            f"10.{d.randrange(1, 255)}.{d.randrange(255)}.{d.randrange(1, 255)}",
            f"192.168.{d.randrange(255)}.{d.randrange(2, 255)}",
            f"172.2{d.randrange(9)}.{d.randrange(255)}.{d.randrange(2, 255)}",
        ]
    )
    yield plant(
        "ipv4-private",
        [
            f"inet {ip}/24 brd 1 scope global eth0\n",
            f"http://{ip}:8080/health\n",
            f"web-7d9 1/1 Running 0 3h {ip} node-2\n",
        ][d.randrange(3)],
        ip,
    )
    ip = "2a01:4f8:" + ":".join(d.choice("123456789abcdef") + d.hex(3) for _ in range(6))
    yield plant(
        "ipv6", [f"inet6 {ip}/64 scope global dynamic\n", f"*   Trying [{ip}]:443...\n"][d.randrange(2)], ip
    )
    ip = f"2a02:{d.choice('123456789')}{d.hex(3)}:{d.choice('12345')}{d.hex(2)}::{d.choice('123456789abcdef')}{d.hex(2)}"
    yield plant("ipv6", f"Accepted publickey for deploy from {ip} port 51234 ssh2\n", ip)
    ip = f"fe80::{d.choice('123')}{d.hex(3)}:{d.choice('123')}{d.hex(3)}:{d.choice('123')}{d.hex(3)}:{d.choice('123')}{d.hex(3)}"
    yield plant("ipv6", f"    inet6 {ip}/64 scope link\n", ip)
    # home paths
    yield plant(
        "home-linux",
        [
            f'  File "/home/{name}/src/app/main.py", line 4, in go\n',
            f"error: /home/{name}: no space\n",
            f'{{"cwd":"/home/{name}/work"}}',
            f"PATH=/usr/bin:/home/{name}/.local/bin\n",
        ][d.randrange(4)],
        name,
    )
    yield plant(
        "home-macos",
        [
            f"/Users/{name}/Library/Caches/pip\n",
            f"file:///Users/{name}/x.html\n",
            f"ld: warning: dir '/Users/{name}' not found\n",
        ][d.randrange(3)],
        name,
    )
    win = name.replace(".", "")
    yield plant(
        "home-windows",
        [
            f"C:\\Users\\{win}\\AppData\\Local\\Temp\\x.log\n",
            json.dumps({"path": f"C:\\Users\\{win}\\x"}),
            json.dumps(json.dumps({"path": f"D:\\Users\\{win}\\x"})),
            f"C:/Users/{win}/project\n",
        ][d.randrange(4)],
        win,
    )
    yield plant(
        "home-wsl",
        [
            f"/mnt/c/Users/{win}/Desktop\n",
            f"\\\\wsl$\\Ubuntu\\home\\{win}\\x\n",
            f"/c/Users/{win}/go\n",
            f"\\\\wsl.localhost\\Ubuntu\\home\\{win}\n",
        ][d.randrange(4)],
        win,
    )
    yield plant(
        "home-slug",
        [f"~/.claude/projects/-home-{win}-work-app/1.jsonl\n", f"-Users-{win}-code-site\n"][d.randrange(2)],
        win,
    )
    yield plant("home-percent", f"file:///home%2F{win}%2Fx vscode://file%2FUsers%2F{win}%2Fy\n", win)
    yield plant("user-whoami", f"$ whoami\n{name}\n$ pwd\n/srv\n", name)
    yield plant(
        "user-ls",
        f"total 8\ndrwxr-xr-x 2 {name} staff 4096 Jan  5 10:00 src\n-rw-r--r--  1 {name} {name}  12 Jan  5 10:00 a.py\n",
        name,
    )
    yield plant("user-prompt", f"{name}@build-7:~/app$ make\ncc -c x.c\n", name)
    yield plant("user-prompt", f"\x1b[01;32m{name}@{co}\x1b[00m:\x1b[01;34m~\x1b[00m$ ls\n", name)
    yield plant("user-ssh", f"$ ssh {name}@build7 uptime\n 10:00:00 up 3 days\n", name)
    yield plant("user-ssh", f"scp out.tgz {name}@{co}.internal:/srv/\n", name)
    yield plant("user-id", f"uid=1000({name}) gid=1000({name}) groups=1000({name}),27(sudo)\n", name)
    yield plant("user-env", f"USER={name}\nLOGNAME={name}\nSHELL=/bin/bash\n", name)
    yield plant(
        "user-passwd", f"{win}:x:1000:1000:{first.title()} {last.title()},,,:/home/{win}:/bin/zsh\n", win
    )
    yield plant(
        "user-ps",
        f"USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n{win[:8]}     4242  0.0  0.1  10000  5000 ?        S    10:00   0:00 node server.js\n",
        win[:8],
    )
    yield plant("user-git", f"user.name={first.title()} {last.title()}\nuser.email={mail}\n", mail)
    yield plant("user-sudo", f"[sudo] password for {name}: \n", name)
    yield plant("user-denied", f"{name} is not in the sudoers file.  This incident will be reported.\n", name)


def told_to_programs(d: Dice) -> Iterator[Planted]:
    """Kinds that a second blind author found missing, and their neighbours; written down with the rules in sight."""
    places = {
        "directive": [
            "requirepass {}\nmaxmemory 256mb\n",
            "masterauth {}\nreplica-read-only yes\n",
            "uri ldap://dc1\nbinddn cn=svc,dc=corp\nbindpw {}\n",
            "release {{\n    storePassword '{}'\n    keyAlias 'upload'\n}}\n",
            "Key         Value\n---         -----\nclient_id   web\npassword    {}\n",
            'network={{\n    ssid="office"\n    psk="{}"\n}}\n',
        ],
        "command-word": [
            "$ htpasswd -bc .htpasswd admin '{}'\nAdding password for user admin\n",
            "$ htpasswd -nbB admin '{}'\n",
            "$ openssl pkcs12 -in c.p12 -passin 'pass:{}' -nodes -out c.pem\n",
            "$ openssl rsa -in k.pem -passin pass:{} -out k2.pem\n",
            "$ lftp -u deploy,{} sftp://files.corp.net -e 'ls; bye'\n",
            "$ rabbitmqctl add_user app '{}'\n",
            "$ echo '{}' | sudo -S systemctl restart app\n",
            "$ echo {} | docker login -u ci --password-stdin registry.corp.net\n",
        ],
        "statement": [
            "mysql> SET PASSWORD FOR 'app'@'%' = '{}';\nQuery OK, 0 rows affected\n",
            'db, err := sql.Open("mysql", "app:{}@tcp(db.svc:3306)/orders?parseTime=true")\n',
            'array(2) {{\n  ["password"]=>\n  string(20) "{}"\n}}\n',
            'variable "db_password" {{\n  type    = string\n  default = "{}"\n}}\n',
            "smtp:\n  password: >-\n    {}\n  port: 587\n",
            "AWS_BEARER_TOKEN_BEDROCK={}\nAWS_REGION=eu-west-1\n",
        ],
    }
    for kind, texts in places.items():
        for text in texts:
            word = d.an(20)
            yield plant(kind, text.format(word), word)
    crypt = d.of(B64.replace("+", "."), 86)
    yield plant(
        "password-hash",
        f"root:*:19700:0:99999:7:::\ndeploy:$6${d.an(16)}${crypt}:19811:0:99999:7:::\n",
        crypt,
    )
    crypt = d.of(B64.replace("+", "."), 53)
    yield plant("password-hash", f"INSERT INTO users VALUES (7, '$2b$12${crypt}');\n", crypt)
    phrase = d.of(B64 + "!@#%^&*()-_[]{}<>~ |", 63) + "x"
    yield plant("framework-key", f"define( 'SECURE_AUTH_KEY',  '{phrase}' );\n", phrase)
    appid = d.hex(32)
    yield plant(
        "query-key", f"GET https://api.weather.dev/v2/now?q=Oslo&appid={appid}&units=metric 200\n", appid
    )


def answered(d: Dice) -> Iterator[Planted]:
    """Kinds that a third blind author found missing, written down with the rules in sight."""
    places = {
        "asked-for": [
            "$ echo $DB_PASSWORD\n{}\n$ ls\n",
            "$ printenv JWT_SECRET\n{}\n",
            ">>> settings.SECRET_KEY\n'{}'\n",
            "(Pdb) p self.api_key\n'{}'\n",
            "$ kubectl get secret db -o jsonpath='{{.data.password}}' | base64 -d; echo\n{}\n",
            "$ terraform output -raw db_password\n{}\n",
            "Please use the following password to proceed:\n\n{}\n\nIt is kept in a file.\n",
        ],
        "cloud-answer": [
            '{{\n    "Name": "prod/api",\n    "SecretString": "{}"\n}}\n',
            '{{\n    "Name": "/prod/db",\n    "Type": "SecureString",\n    "Value": "{}"\n}}\n',
            '[\n  {{\n    "keyName": "key1",\n    "permissions": "FULL",\n    "value": "{}"\n  }}\n]\n',
            '{{\n  "db": {{\n    "sensitive": true,\n    "type": "string",\n    "value": "{}"\n  }}\n}}\n',
            "Unseal Key 1: {}\nInitial Root: none\n",
            "Your new API key: {} (shown once)\n",
            "  data:\n    DATABASE_URL: {}\n  kind: Secret\n",
        ],
        "table": [
            "| Variable | Value |\n|---|---|\n| `ADMIN_TOKEN` | `{}` |\n",
            "\u2551 PGPASSWORD \u2502 {} \u2551\n\u2551 PGPORT     \u2502 5432 \u2551\n",
        ],
        "command-word": [
            "$ sonar-scanner -Dsonar.login={}\n",
            "$ mc alias set s3 http://localhost:9000 minio {}\n",
            '$ gh secret set DEPLOY --body "{}" --repo acme/web\n',
            "$ gh secret set DEPLOY_TOKEN --body {}\n",
            "$ aws configure set aws_secret_access_key {}\n",
            "$ htpasswd -b -c .htpasswd admin {}\n",
            'echo "::add-mask::{}"\n',
        ],
        "default-value": ["const token = process.env.API_TOKEN || '{}';\n"],
        "pass-line": ["user: admin\npass: {}\n", "[remote]\nuser = me\npass = {}\n"],
    }
    for kind, texts in places.items():
        for text in texts:
            word = d.an(20)
            yield plant(kind, text.format(word), word)
    thought_up = f"{d.choice(LAST).title()}{d.choice(FIRST).title()}{d.randrange(10, 99)}!"
    for text in (
        "ADMIN_PASSWORD={}\nADMIN_USER=admin\n",
        "admin_password: {}\n",
        '"Server=db;User Id=sa;Password={};Encrypt=True"\n',
    ):
        yield plant("thought-up", text.format(thought_up), thought_up)
    for sign in "=/-+":
        word = sign + d.an(9) + "/" + d.an(9)
        yield plant("odd-beginning", f"client.auth(:password => '{word}')\n", word)
        yield plant("odd-beginning", f"docker login -u ci --password '{word}' registry.corp.net\n", word)
    letters = "cpApw" + d.choice(("OGqoebwho", "TrLiemura"))
    yield plant("thought-up", f'setx DB_PASSWORD "{letters}"\n', letters)
    token = f"{d.of(DIGITS, 10)}:AA{d.an(33)}"
    yield plant("telegram-address", f"POST https://api.telegram.org/bot{token}/sendMessage 200\n", token)
    token = f"ya29.c.{d.an(90)}"
    yield plant("service-token", f"$ gcloud auth print-access-token\n{token}\n", token)


def accounts(d: Dice) -> Iterator[Planted]:
    name = d.choice(FIRST)[0] + d.choice(LAST)
    yield plant("user-who", f"$ who\n{name}   pts/0        2026-11-09 10:11 (:0)\n", name)
    yield plant(
        "user-ps", f"UID   PID  PPID  C STIME TTY\n{name}  4242  4000  0 10:11 pts/0  00:00:01 vim x\n", name
    )
    yield plant("user-sudo", f"User {name} may run the following commands on devbox:\n    (ALL) ALL\n", name)
    yield plant(
        "user-sudo", f"box sudo:  {name} : TTY=pts/0 ; PWD=/srv ; USER=root ; COMMAND=/bin/ls\n", name
    )
    yield plant("user-ssh", f"Host bastion\n  User {name}\n  Port 22\n", name)
