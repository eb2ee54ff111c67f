package dev.repartee.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import dev.repartee.broker.contract.BrokerFixture;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** A queue of the running RabbitMQ, with workers and clients. */
abstract class Fixture extends BrokerFixture {
  static final long LONG = 60;

  final Rabbit rabbit = Rabbit.shared();
  final String queue = "test-" + UUID.randomUUID();

  /** Opens a channel of the client library, without this toolkit. */
  Channel raw() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setPort(rabbit.port());
    Connection connection = factory.newConnection();
    closing(connection::abort);
    return connection.createChannel();
  }

  /** Waits for a message. */
  static GetResponse next(Channel channel, String from) throws Exception {
    GetResponse message = channel.basicGet(from, true);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG);
    while (message == null && System.nanoTime() < end) {
      Thread.onSpinWait();
      message = channel.basicGet(from, true);
    }
    assertThat(message).as("a message in " + from).isNotNull();
    return message;
  }

  /** Returns the JSON-RPC id of a request of this toolkit. */
  static long id(byte[] request) {
    return Long.parseLong(new String(request, UTF_8).replaceAll(".*\"id\":(\\d+).*", "$1"));
  }

  /** Returns the answer to a call of the method {@code add}. */
  static byte[] sum(long id, int sum) {
    return """
        {"jsonrpc":"2.0","id":%s,"result":%s}""".formatted(id, sum).getBytes(UTF_8);
  }
}
