# A program with the method price, a server, and the broker of the last example.
cat >plugin <<'END'
#!/bin/bash
while read -r line; do
  jq -c '{jsonrpc, id, result: 3}' <<<"$line"
done
END
chmod +x plugin
server "repartee serve --listen tcp://127.0.0.1:7000"
if command -v nats-server >/dev/null; then
  server "nats-server -a 127.0.0.1 -p 4222 # 127.0.0.1:4222"
fi
