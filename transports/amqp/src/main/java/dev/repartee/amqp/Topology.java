package dev.repartee.amqp;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** The queues of a service. */
final class Topology {
  /**
   * The maximum number of messages in the queue of a consumer that does not read, such as a
   * subscriber of events.
   */
  private static final int UNREAD = 10_000;

  private static final int NOT_FOUND = 404;

  private final AmqpAddress address;

  Topology(AmqpAddress address) {
    this.address = address;
  }

  /** Returns a new channel. */
  static Channel channel(Connection connection) throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the broker allows no more channels on this connection");
    }
    return channel;
  }

  /** Returns whether the request queue exists. */
  boolean exists(Connection connection) throws IOException {
    return exists(connection, address.queue());
  }

  private boolean exists(Connection connection, String queue) throws IOException {
    Channel trial = channel(connection); // the broker closes it if there is no queue
    try {
      trial.queueDeclarePassive(queue);
      trial.close();
      return true;
    } catch (TimeoutException e) {
      throw new IOException("the broker does not answer", e);
    } catch (IOException e) {
      if (Faults.isCode(e, NOT_FOUND)) {
        return false;
      }
      throw explained(e);
    }
  }

  /**
   * Declares the request queue and the queue for its dead letters. An existing queue is used
   * unchanged, so that an operator can declare it with other arguments.
   *
   * @param length the maximum number of messages that wait in a new queue
   */
  void declare(Connection connection, int length) throws IOException {
    String dead = Names.deadLetters(address.queue());
    boolean exists = exists(connection);
    boolean hasDead = exists(connection, dead);
    try {
      Channel channel = channel(connection);
      if (!exists) {
        channel.queueDeclare(
            address.queue(),
            true,
            false,
            false,
            Map.of("x-max-length", length, "x-overflow", "reject-publish"));
      }
      if (!hasDead) {
        channel.queueDeclare(dead, true, false, false, Map.of("x-max-length", UNREAD));
      }
      channel.close();
    } catch (TimeoutException e) {
      throw new IOException("the broker does not answer", e);
    } catch (IOException e) {
      throw explained(e);
    }
  }

  /** Declares an exclusive queue of this connection, and binds it to a key; returns its name. */
  static String own(Channel channel, String key) throws IOException {
    String queue = channel
        .queueDeclare("", false, true, true, Map.of("x-max-length", UNREAD))
        .getQueue();
    channel.queueBind(queue, Names.EXCHANGE, key);
    return queue;
  }

  private IOException explained(IOException e) {
    var end = Faults.shutdown(e);
    return end == null
        ? e
        : new IOException(
            "the broker " + address.broker() + " refuses the queues of '" + address.queue() + "': "
                + Faults.reason(end),
            e);
  }
}
