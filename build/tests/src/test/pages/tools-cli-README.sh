# The files that the page names, and servers at the ports that no command of the page opens.
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
  -keyout key.pem -out cert.pem
mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions
mkdir -p ~/src/engine ~/src/shop ~/.cursor target/classes/com/example lib
cat >Shop.java <<'END'
package com.example;

public class Shop {
  public int price(String name) {
    return name.length();
  }
}
END
javac -parameters -d target/classes Shop.java
jar cf lib/money.jar -C target/classes com
cat >prices.js <<'END'
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: 3 })));
END
echo '{"mcpServers": {"math": {"url": "http://127.0.0.1:8646/mcp"}}}' >~/.cursor/mcp.json
echo 'Authorization: Bearer TOKEN' >headers.txt
echo 'ada:correct horse' | install -m 600 /dev/stdin ada.password
echo 'TOKEN' | install -m 600 /dev/stdin ada.token
echo 'machine 127.0.0.1 login ada password "correct horse"' | install -m 600 /dev/stdin netrc
echo 'correct horse' | repartee passwd users ada --roles admin
echo '{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":1}' | tee requests.jsonl >request.json
. build/tests/src/test/pages/agents-agents-README.sh
server "repartee serve --listen http://127.0.0.1:8545/"
repartee call tcp://127.0.0.1:7000 rpc.discover >openrpc.json
