# The brokers of Debian's packages run when they are installed; the port of the proxy is in the guide.
. build/tests/src/test/pages/rabbitmq.sh
if command -v nats-server >/dev/null; then
  server "nats-server -js -sd $HOME/nats -a 127.0.0.1 -p 4222 # at 127.0.0.1:4222"
fi
if python3 -c 'import zmq' 2>/dev/null; then
  sed -n '/^context = /,/^```/p' transports/zeromq/README.md | sed '1i import zmq
$d' >proxy.py
  server "python3 proxy.py # at 127.0.0.1:5555"
fi
