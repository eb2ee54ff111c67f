"""Serves as a ROUTER socket that echoes the envelope, or as a REP socket. Prints notifications."""

import json
import sys
import zmq

socket = zmq.Context().socket(getattr(zmq, sys.argv[1]))
port = socket.bind_to_random_port("tcp://127.0.0.1")
print(port, flush=True)
while True:
    *envelope, text = socket.recv_multipart()
    message = json.loads(text)
    answer = {"jsonrpc": "2.0", "id": message.get("id")}
    if message["method"] == "add":
        answer["result"] = sum(message["params"])
    else:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    if "id" not in message:
        print(message["method"], json.dumps(message["params"]), flush=True)
    socket.send_multipart(
        envelope + [json.dumps(answer).encode() if "id" in message else b""]
    )
