"""A service as tutorials of RabbitMQ show it: server.py PORT QUEUE. Serves add(a, b) and fail()."""

import json
import sys

import pika

port, queue = int(sys.argv[1]), sys.argv[2]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
channel = connection.channel()
channel.queue_declare(queue)
channel.basic_qos(prefetch_count=1)


def on_request(_, method, properties, body):
    request = json.loads(body)
    reply = {"jsonrpc": "2.0", "id": request.get("id")}
    if request["method"] == "add":
        reply["result"] = sum(request["params"])
    else:
        reply["error"] = {"code": -32601, "message": "Method not found"}
    if properties.reply_to:
        channel.basic_publish(
            "",
            properties.reply_to,
            json.dumps(reply).encode(),
            pika.BasicProperties(correlation_id=properties.correlation_id),
        )
    else:
        print(request["method"], request["params"], flush=True)
    channel.basic_ack(method.delivery_tag)


channel.basic_consume(queue, on_request)
print("ready", flush=True)
channel.start_consuming()
