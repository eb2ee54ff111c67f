"""Calls a service as a REQ and as a DEALER socket, and receives an event. Prints each answer."""

import json
import sys
import zmq

address, events = sys.argv[1:]
context = zmq.Context()


def call(id, method, *params):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if id is None else {**message, "id": id}).encode()


def show(*frames):
    print(" ".join(frame.decode() for frame in frames), flush=True)


req = context.socket(zmq.REQ)
req.connect(address)
for message in [
    call(1, "add", 2, 3),
    call(None, "note", "from REQ"),
    b"[" + call("s", "add", 2, 3) + b"," + call(2, "name") + b"]",
    b"no JSON",
]:
    req.send(message)
    show(*req.recv_multipart())

dealer = context.socket(zmq.DEALER)
dealer.connect(address)
dealer.send_multipart([b"", call(3, "add", 1, 1)])
show(*dealer.recv_multipart())
dealer.send_multipart([b"repartee1 call k 65536 0", b"", call(4, "steps", 2)])
for _ in range(3):
    show(*dealer.recv_multipart())
dealer.send_multipart([b"repartee1 note n", b"", call(None, "note", "from DEALER")])
show(*dealer.recv_multipart())

sub = context.socket(zmq.SUB)
sub.subscribe(b"price.changed")
sub.subscribe(b"repartee1 ready me")
sub.connect(events)
show(sub.recv_multipart()[0])
topic, number, text = sub.recv_multipart()
show(topic, number, text)
