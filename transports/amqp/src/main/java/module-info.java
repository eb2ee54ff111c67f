/** JSON-RPC over AMQP 0-9-1, as service and as client. */
@SuppressWarnings("requires-automatic") // the client of RabbitMQ has no descriptor
module dev.repartee.amqp {
  requires dev.repartee.broker;
  requires com.rabbitmq.client;
  requires static transitive org.jspecify;

  provides dev.repartee.transport.Transport with
      dev.repartee.amqp.AmqpTransport;
}
