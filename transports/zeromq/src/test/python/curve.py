"""Writes certificates, or calls or serves with them. Prints the answer, or the port."""

import json
import os
import sys
import zmq
import zmq.auth

command, folder, *address = sys.argv[1:]
socket = zmq.Context().socket(zmq.REQ if command == "call" else zmq.REP)


def use(name):
    path = f"{folder}/{name}.key_secret"
    socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(path)


if command == "keys":
    os.umask(0o077)
    zmq.auth.create_certificates(folder, "service")
    zmq.auth.create_certificates(folder, "client")
elif command == "call":
    use("client")
    socket.curve_serverkey, _ = zmq.auth.load_certificate(f"{folder}/service.key")
    socket.connect(address[0])
    socket.send(b'{"jsonrpc":"2.0","method":"add","params":[2,3],"id":1}')
    print(socket.recv().decode(), flush=True)
else:
    use("service")
    socket.curve_server = True
    print(socket.bind_to_random_port("tcp://127.0.0.1"), flush=True)
    request = json.loads(socket.recv())
    socket.send_json({"jsonrpc": "2.0", "result": 5, "id": request["id"]})
