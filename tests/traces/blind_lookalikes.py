"""What engineers would be angry to lose, by an author who had not read the rules: hashes, identifiers,
versions, numbers, code that speaks of secrets, placeholders.
"""

# ruff: noqa: E501  (what programs print is as long as it is)

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

from .dice import DIGITS, LOWER, UPPER, Dice

FIXED: dict[str, list[str]] = {
    "placeholder": [
        "OPENAI_API_KEY=YOUR_API_KEY\n",
        "API_KEY=<token>\n",
        "TOKEN=${TOKEN}\n",
        "export GITHUB_TOKEN=$GH_TOKEN\n",
        "password: changeme\n",
        "DB_PASSWORD=xxxxxxxx\n",
        "secret: ********\n",
        'api_key = "your-api-key-here"\n',
        "API_KEY=sk-...\n",
        "key = 'sk-xxxxxxxxxxxxxxxxxxxxxxxx'\n",
        "ANTHROPIC_API_KEY=sk-ant-...\n",
        "token: <your token>\n",
        "password: {{ vault_db_password }}\n",
        "token: ${{ secrets.GITHUB_TOKEN }}\n",
        "PASSWORD=%DB_PASSWORD%\n",
        "password=[REDACTED]\n",
        "Authorization: Bearer <token>\n",
        "Authorization: Bearer $TOKEN\n",
        '-H "Authorization: Bearer ${API_TOKEN}"\n',
        "Authorization: Bearer YOUR_TOKEN\n",
        "postgres://user:password@localhost:5432/db\n",
        "postgresql://USER:PASSWORD@HOST:PORT/DB\n",
        "https://user:pass@example.com/\n",
        "mysql://root:${DB_PASS}@db/app\n",
        "redis://:<password>@host:6379\n",
        "postgres://$USER:$PASS@db/x\n",
        "API_KEY=\n",
        'SECRET_KEY=""\n',
        "password: null\n",
        "token: none\n",
        "password: true\n",
        'api_key: ""\nregion: eu\n',
        "AWS_SECRET_ACCESS_KEY=<redacted>\n",
        "SECRET=***\n",
        "token=…\n",
        "API_KEY=TODO\n",
        'password: "<PASSWORD>"\n',
        "api_key=REPLACE_ME\n",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n",
        "if line.startswith('-----BEGIN RSA PRIVATE KEY-----'):\n",
        'token = "test"\n',
        "password = 'password'\n",
        "db_password: secret\n",
        "client_secret: (sensitive value)\n",
        "password = (sensitive value)\n",
        "  + result = (known after apply)\n",
        "access_token: string\n",
    ],
    "documented": [
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
        "let token = Token::new(TokenKind::Ident, span);\n",
        "user:password@tcp(localhost:3306)/db\n",
        "define('AUTH_KEY', 'put your unique phrase here');\n",
    ],
    "code": [
        'key = os.environ["API_KEY"]\n',
        "token = os.getenv('GITHUB_TOKEN')\n",
        "def login(user: str, password: str) -> Token:\n",
        "    password: str\n",
        "    token: Optional[str] = None\n",
        "const token = process.env.TOKEN;\n",
        "const apiKey = config.get('apiKey');\n",
        "this.password = password;\n",
        "token = get_token()\n",
        "secret = secrets.token_hex(32)\n",
        "password = getpass.getpass()\n",
        "password=args.password,\n",
        "if token != expected_token:\n",
        "api_key=self.api_key, timeout=30\n",
        "token: string;\n",
        "  apiKey?: string\n",
        "let token = tokens.next().unwrap();\n",
        "Token::Identifier(name) => token,\n",
        "private final String password;\n",
        'String apiKey = System.getenv("API_KEY");\n',
        'secret := os.Getenv("SECRET")\n',
        "token, err := parseToken(input)\n",
        "password = params[:password]\n",
        "key=lambda kv: kv[1]\n",
        "sorted(items, key=len)\n",
        "for key, value in d.items():\n",
        "primary_key=True, foreign_key='users.id'\n",
        '<input type="password" name="password" id="password">\n',
        'cache_key = f"user:{user_id}"\n',
        "tokenizer = AutoTokenizer.from_pretrained('gpt2')\n",
        "pad_token=tokenizer.eos_token\n",
        "eos_token: </s>\n",
        "bos_token_id=1, eos_token_id=2\n",
        "key: value\n",
        "keyboard: us\n",
        "public_key_path: ~/.ssh/id_ed25519.pub\n",
        "SECRET_NAME = 'prod/db/main'\n",
        "password_hash = bcrypt.hash(password)\n",
        "assert response.json()['token'] == token\n",
        "throw new Error('password: must have 8 characters')\n",
        'raise ValueError("token: expected a string")\n',
        "error: unexpected token: '}'\n",
        "SyntaxError: Unexpected token < in JSON at position 0\n",
        "print(f'token={token}')\n",
        'logger.info("token=%s", token)\n',
        "csrf_token = request.headers.get('X-CSRF-Token')\n",
        "key_type: ed25519\n",
        "secretName: db-credentials\n",
        "secretKeyRef:\n  name: db\n  key: password\n",
        "valueFrom: {secretKeyRef: {name: api, key: token}}\n",
        "type Token struct {\n\tKind TokenKind\n\tText string\n}\n",
        "author: someone\n",
        "auth: true\n",
        'authors = ["The Team"]\n',
        "AUTH_USER_MODEL = 'accounts.User'\n",
        "AUTHENTICATION_BACKENDS = [\n",
        "PASSWORD_HASHERS = ['django.contrib.auth.hashers.PBKDF2PasswordHasher']\n",
        "access_key = self._keys[0]\n",
        'return {"token": create_access_token(user.id)}\n',
        "Bearer token authentication is required\n",
        "uses bearer tokens and basic auth; Basic usage: see docs\n",
        "Basic information about passwords\n",
        "the secret: be patient\n",
        "token: TokenStream,\n",
        "password: SecretStr = Field(...)\n",
        "SECRET_KEY = env('SECRET_KEY')\n",
        "passwordless: true\n",
        "passthrough=enabled\n",
        "compass=north\n",
        "bypass: always\n",
        "monkey=banana12345\n",
        "turkey: sandwiches\n",
        "hotkey=ctrl+shift+p\n",
        "sort_key=created_at\n",
        "partition_key: customer_id\n",
        "ssh-keygen -t ed25519 -C 'deploy'\n",
        "key_file=/etc/ssl/private/server.key\n",
        "token_file: /var/run/secrets/kubernetes.io/serviceaccount/token\n",
        "--password-stdin\n",
        "--token-file /run/secrets/t\n",
        "mkdir -p /srv/app && cp -u a:b c\n",
        "curl -u $USER:$PASS https://example.com\n",
        "mysql -u root -p app\n",
        "docker run -u 1000:1000 img\n",
        "docker run -p 8080:80 -v a:b img\n",
    ],
    "at": [
        "@app.route('/x')\n",
        "@pytest.mark.parametrize('a', [1])\n",
        "git@github.com:org/repo.git\n",
        "ssh://git@gitlab.com/org/repo.git\n",
        "user@example.com\n",
        "noreply@example.org\n",
        "npm i @types/node@20.1.0\n",
        "react@18.2.0 vue@3.4.1\n",
        "a@b\n",
        "image@2x.png icon@3x.webp\n",
        "https://unpkg.com/lodash@4.17.21/lodash.js\n",
        "x = a@b.T\n",
        "w@x.shape\n",
        "@Override public void run()\n",
        "actions/setup-node@v4\n",
        "pkg@workspace:* pkg@npm:1.0\n",
        "@media (max-width: 600px) {\n",
        "me@localhost\n",
        "test@test.test\n",
        "git clone git@github.com:acme/site.git\n",
        "Co-authored-by: X <noreply@github.com>\n".replace("github.com", "example.com"),
        "foo@example.net, bar@sub.example.com\n",
        "golang.org/x/tools@v0.1.0\n",
        "postgres@15 openssl@3 python@3.12\n",
        "systemctl start getty@tty1.service\n",
    ],
    "home": [
        "/home/node/app/node_modules\n",
        "/home/runner/work/repo/repo\n",
        "/home/ubuntu/.bashrc\n",
        "/home/user/project\n",
        "/Users/runner/hostedtoolcache\n",
        "/Users/Shared/x\n",
        "C:\\Users\\Public\\x\n",
        "/home/vscode/.config\n",
        "/home/coder/x\n",
        "/home/$USER/x\n",
        "/home/<user>/x\n",
        "/home/{user}/x\n",
        "~/work/app\n",
        "/root/.cache\n",
        "/home\n",
        "ls /home/\n",
        "GET /users/123/orders\n",
        "/api/users/me/settings\n",
        "https://github.com/users/x\n",
        "src/home/index.tsx\n",
        "/pages/home/Hero.tsx\n",
        "app/Users/UserList.vue\n",
        "/home/jovyan/work\n",
        "/home/circleci/project\n",
        "/home/ec2-user/x\n",
        "/home/vagrant/y\n",
        "/home/linuxbrew/.linuxbrew/bin\n",
        "/home/app/server.js\n",
    ],
    "names": [
        "drwxr-xr-x 2 root root 4096 Jan  5 10:00 src\n",
        "uid=0(root) gid=0(root) groups=0(root)\n",
        "root@4f3a2b1c0d9e:/app# ls\n",
        "-rw-r--r-- 1 node node 12 Jan 5 10:00 a\n",
        "$ whoami\nroot\n",
        "USER=root\n",
        "user=${USER}\n",
        "user: User\n",
        "username = request.user.username\n",
        "www-data  33 0.0 nginx: worker\n",
        "root:x:0:0:root:/root:/bin/bash\n",
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
        "runner@fv-az123:~$ make\n",
        "ssh root@host\n",
        "USER appuser\n",
        "USER node\n",
        "chown -R www-data:www-data /srv\n",
        "ssh deploy@host uptime\n",
        "uid=1000(node) gid=1000(node) groups=1000(node)\n",
        "user_id: 42\n",
        "USER=postgres\n",
        "role: user\n",
        '"role": "user"\n',
    ],
    "prose": [
        "Rotate the API key and update the secret in the vault.\n",
        "The password must be at least 12 characters long.\n",
        "Tokens: use `Authorization: Bearer` in the header.\n",
        "call 911 or dial 0\n",
        "See section 1.2.3.4 of RFC 2616\n",
        "Set-Cookie is sent by the server.\n",
        "The cookie: a small file\n",
        "Cookie: none\n",
        "Section 10.0.0.1 does not exist\n".replace("10.0.0.1", "4.2.1.3"),
        "phone: optional\n",
        "email: required\n",
        "ratio 16:9, 10:30-11:45\n",
        "score 3-2, pages 123-456, 2026-2027\n",
        "IPs like 1.1.1.1\n".replace("1.1.1.1", "127.0.0.1"),
        "ssh-ed25519 is a key type\n",
        "secret sauce = good engineering\n",
        "the token is valid for 3600 seconds\n",
        "No secrets found. Password reset mail sent.\n",
    ],
}


def lookalikes(seed: int = 606, *, rounds: int = 7) -> Iterator[str]:
    d = Dice(seed)
    for _ in range(rounds):
        sha, short = d.hex(40), d.hex(7)
        yield f"commit {sha}\nMerge: {short} {d.hex(7)}\n"
        yield f"{short} (HEAD -> main, origin/main) Fix token refresh\n"
        yield f"index {d.hex(10)}..{d.hex(10)} 100644\n"
        yield f"From {sha} Mon Sep 17 00:00:00 2001\n"
        yield f"uses: actions/checkout@{sha} # v4.1.1\n"
        yield f"request_id={d.uuid()} trace={d.hex(32)}\n"
        yield json.dumps({"session_id": d.uuid(), "id": d.uuid()})
        yield f"trace_id={d.hex(32)} span_id={d.hex(16)}\n"
        yield f'"integrity": "sha512-{d.b64(64)}"\n'
        yield f"sha256:{d.hex(64)}  dist/app.tar.gz\n"
        yield f"{d.hex(64)}  sharpen-0.1.whl\n{d.hex(32)}  a.bin\n"
        yield f"Digest: sha256:{d.hex(64)}\nStatus: Downloaded newer image for node:20\n"
        yield f"FROM python:3.12-slim@sha256:{d.hex(64)}\n"
        yield f'{d.hex(12)}   nginx:1.25   "/docker-entrypoint.…"   3 hours ago   Up 3 hours   0.0.0.0:80->80/tcp   web\n'
        yield f"h1:{d.b64(32)}\n golang.org/x/net v0.17.0/go.mod h1:{d.b64(32)}\n"
        yield f'    {{file = "a-1.0.whl", hash = "sha256:{d.hex(64)}"}},\n'
        yield f'checksum = "{d.hex(64)}"\n'
        yield f'  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#{d.hex(40)}"\n'
        yield f"requests==2.31.0 --hash=sha256:{d.hex(64)}\n"
        yield f"Chrome/12{d.randrange(9)}.0.{d.randrange(6000, 7000)}.{d.randrange(200)} Safari/537.36\n"
        yield f"libfoo 1.2.3.{d.randrange(99)}\nupgraded pkg from 10.4.1.2 to v10.4.1.{d.randrange(9)}\n"
        yield f"Microsoft.NET.Sdk, Version=4.0.{d.randrange(9)}.0, Culture=neutral, PublicKeyToken=b77a5c561934e089\n"
        yield f"nvidia-cublas-cu12==12.1.3.{d.randrange(9)}\n"
        yield f"Listening on http://127.0.0.1:{d.randrange(3000, 9000)} and 0.0.0.0:80, [::1]:80, [::]:443\n"
        yield f"curl http://192.0.2.{d.randrange(1, 255)}/ 198.51.100.{d.randrange(1, 255)} 203.0.113.7 2001:db8::{d.hex(2)}\n"
        yield "netmask 255.255.255.0 broadcast 255.255.255.255 gateway 0.0.0.0\n"
        yield f"std::vector<int>::iterator a::b::c{d.randrange(9)} Foo::bar\n"
        yield f"2026-01-0{d.randrange(1, 9)}T10:1{d.randrange(9)}:22.123456Z 17000{d.of(DIGITS, 5)} 10:22:33:44\n"
        yield f"20260105-10{d.of('012345', 4)} 2026-01-05 10:00:00,{d.of(DIGITS, 3)} +0100\n"
        yield f"order 4{d.of(DIGITS, 11)} shipped; invoice INV-2026-{d.of(DIGITS, 6)}\n"
        yield f"id: {d.of('123456789', 10)}\nsnowflake: {d.of('123456789', 18)}\n"
        yield f"took {d.of('123456789', 3)}.{d.of(DIGITS, 10)} ms, mean 0.{d.of(DIGITS, 12)} n=1{d.of(DIGITS, 9)}\n"
        yield f"ISBN 978-3-16-14841{d.randrange(9)}-0 bytes 5{d.of(DIGITS, 10)} pid 32{d.of(DIGITS, 3)}\n"
        yield f"[{', '.join(d.of('123456789', 3) for _ in range(9))}]\n{d.of(DIGITS, 3)} {d.of(DIGITS, 3)} {d.of(DIGITS, 4)}\n"
        yield f"epoch=1{d.of(DIGITS, 9)} seed=4{d.of(DIGITS, 8)} +1234 -5678 rows {d.randrange(100, 999)}-{d.randrange(100, 999)}\n"
        yield f"data:image/png;base64,iVBORw0KGgo{d.b64(120)}\n"
        yield f'src="data:font/woff2;base64,d09GMgAB{d.b64(90)}"\n'
        yield f"//# sourceMappingURL=data:application/json;base64,{base64.b64encode(json.dumps({'version': 3, 'sources': [d.an(20)]}).encode()).decode()}\n"
        yield (
            "!function(e,t){"
            + "".join(
                f"var {d.of(LOWER, 1)}=t({d.randrange(999)}),{d.of(LOWER, 2)}=e.{d.of(LOWER, 6)}||{{}};"
                for _ in range(8)
            )
            + "}(this,0);\n"
        )
        yield f"a.token=b.token||c,d.password=e(f.password),g.secret=h?i:j,k.apiKey=l.m{d.randrange(9)}\n"
        yield f"color: #{d.hex(6)}; background: #{d.hex(8)}; --brand: #{d.hex(3)}\n"
        yield f"link/ether {':'.join(d.hex(2) for _ in range(6))} brd ff:ff:ff:ff:ff:ff\n"
        yield f"0000{d.hex(4)}: {' '.join(d.hex(4) for _ in range(8))}  ................\n"
        yield f"tests/test_auth.py::test_password_reset_token_expires[{d.randrange(9)}] PASSED\n"
        yield f"test_api_key_rotation_{d.of(LOWER, 4)} ... ok\n"
        yield f"FAIL src/secrets/secret_manager.test.ts > rotates the secret key ({d.randrange(99)} ms)\n"
        yield f"arn:aws:iam::aws:policy/ReadOnlyAccess s3://bucket-{d.of(LOWER, 5)}/key/{d.hex(32)}/part-0001.parquet\n"
        yield f"pod/web-{d.hex(9)}-{d.of(LOWER, 5)} 1/1 Running 0 3h\n"
        yield f"secret/db-credentials-{d.of(LOWER, 5)} Opaque 3 5d\n"
        yield f'ETag: "{d.hex(32)}"\nX-Request-Id: {d.uuid()}\n'
        yield f"claude-sonnet-4-5-2025092{d.randrange(9)} gpt-5.1-codex-max gemini-2.5-pro\n"
        yield json.dumps(
            {
                "tool_use_id": "toolu_01" + d.an(22),
                "call_id": "call_" + d.an(24),
                "id": "msg_" + d.hex(40),
                "response": "resp_" + d.hex(48),
            }
        )
        yield f"/usr/lib/python3.12/site-packages/tokenizers/{d.of(LOWER, 6)}.cpython-312-x86_64-linux-gnu.so\n"
        yield f"/nix/store/{d.of(LOWER + DIGITS, 32)}-python3-3.11.6/bin\n/tmp/tmp{d.of(LOWER, 8)}/x\n"
        yield f"node_modules/.pnpm/@babel+core@7.23.{d.randrange(9)}_supports-color@8.1.1/node_modules\n"
        yield f"main.{d.hex(20)}.js  chunk-{d.of(UPPER + DIGITS, 8)}.mjs  index-{d.u64(8)}.css  241.33 kB\n"
        yield f"token_count={d.randrange(9999)} max_tokens: {d.randrange(9999)} prompt_tokens={d.randrange(9999)} total_tokens: {d.randrange(9999)}\n"
        yield json.dumps(
            {"usage": {"input_tokens": d.randrange(99999), "cached_tokens": 0, "output_tokens": 3}}
        )
        yield f"tokens: {d.randrange(10**7)}/{10**7} keys={d.randrange(999)} secrets_found: 0 password_attempts = {d.randrange(9)}\n"

        yield f"arn:aws:secretsmanager:eu-west-1:{d.of('123456789', 12)}:secret:prod/db-{d.an(6)}\n"
        yield f"GET /home/dashboard/{d.of(LOWER, 6)}.html 304\nrouter.push('/home/{d.of(LOWER, 6)}')\n"
        yield f"TOKEN_EXPIRES_AT=2026-11-0{d.randrange(1, 9)}T10:11:12Z\nAPI_KEY_ID={d.an(20)}\n"
        yield f"reset_token   varchar(2{d.randrange(10, 55)})\npassword      scram-sha-256\nsecret  v1.{d.randrange(9)}.3\n"

    for texts in FIXED.values():
        yield from texts
