# An authorization server: the tokens that it has signed, and its endpoint for introspection.
base64url() { basenc --base64url -w0 | tr -d =; }
signed() { # FILE KEY AUDIENCE EXPIRY
  local part
  part=$(printf '{"alg":"RS256","kid":"1","typ":"at+jwt"}' | base64url).$(
    printf '{"iss":"https://login.example","sub":"ada","aud":"%s","exp":%s,"roles":["admin"]}' "$3" "$4" | base64url)
  (umask 077 && echo "$part.$(printf %s "$part" | openssl dgst -sha256 -sign "$2" | base64url)" >"$1")
}
if type openssl xxd >/dev/null; then
  openssl genrsa -out issuer.key 2048
  openssl genrsa -out other.key 2048
  printf '{"keys":[{"kty":"RSA","kid":"1","use":"sig","alg":"RS256","e":"AQAB","n":"%s"}]}' "$(
    openssl rsa -in issuer.key -noout -modulus | cut -d= -f2 | xxd -r -p | base64url)" >keys.json
  signed ada.jwt issuer.key https://api.example 4102444800
  signed expired.jwt issuer.key https://api.example 1700000000
  signed other-audience.jwt issuer.key https://other.example 4102444800
  signed other-key.jwt other.key https://api.example 4102444800
fi
(umask 077 && echo 'server:secret' >client && echo 'opaque-token-of-ada' >ada.opaque)
cat >introspect.py <<'END'
import http.server, json, urllib.parse

class Introspection(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length'])).decode()
        token = urllib.parse.parse_qs(body)['token'][0]
        answer = {'active': token == 'opaque-token-of-ada', 'sub': 'ada', 'iss': 'https://login.example'}
        text = json.dumps(answer if answer['active'] else {'active': False}).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

http.server.HTTPServer(('127.0.0.1', 8640), Introspection).serve_forever()
END
if type python3 >/dev/null; then server "python3 introspect.py # 127.0.0.1:8640"; fi
