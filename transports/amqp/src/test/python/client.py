"""Calls a service as tutorials of RabbitMQ do: client.py PORT QUEUE. Prints one line for each answer."""

import json
import sys
import uuid

import pika

port, queue = int(sys.argv[1]), sys.argv[2]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
channel = connection.channel()


def call(reply_to, body):
    key = str(uuid.uuid4())
    replies = []

    def on_reply(_, method, properties, reply):
        assert properties.correlation_id == key, properties
        assert properties.content_type == "application/json", properties
        replies.append(reply)

    tag = channel.basic_consume(reply_to, on_reply, auto_ack=True)
    channel.basic_publish(
        "",
        queue,
        body if isinstance(body, bytes) else json.dumps(body).encode(),
        pika.BasicProperties(reply_to=reply_to, correlation_id=key, content_type="application/json"),
        mandatory=True,
    )
    while not replies:
        connection.process_data_events(time_limit=60)
    connection.process_data_events(time_limit=0)
    assert len(replies) == 1, replies
    channel.basic_cancel(tag)
    print(replies[0].decode(), flush=True)


own = channel.queue_declare("", exclusive=True).method.queue
for reply_to in own, "amq.rabbitmq.reply-to":
    call(reply_to, {"jsonrpc": "2.0", "id": 1, "method": "add", "params": [2, 3]})
    call(reply_to, {"jsonrpc": "2.0", "id": "s", "method": "steps", "params": [5]})
    call(
        reply_to,
        [
            {"jsonrpc": "2.0", "id": 1, "method": "name"},
            {"jsonrpc": "2.0", "method": "note", "params": ["from pika"]},
            {"jsonrpc": "2.0", "id": 2, "method": "missing"},
        ],
    )
    call(reply_to, b"{no")
channel.basic_publish("", queue, b'{"jsonrpc":"2.0","method":"note","params":["a notification"]}')

# An event, for a subscriber without this toolkit.
events = channel.queue_declare("", exclusive=True).method.queue
channel.queue_bind(events, "amq.topic", "events." + queue + ".#")
print("subscribed", flush=True)
for method, properties, body in channel.consume(events, auto_ack=True):
    print(method.routing_key[len("events." + queue + ".") :], body.decode(), flush=True)
    break
connection.close()
