package dev.repartee.amqp;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the first direct reply to each name over a separate connection. The client chooses the
 * name, and RabbitMQ ends a connection that sends a reply to a name that it cannot decode; no other
 * part of a worker may depend on that connection. A name that RabbitMQ has accepted once is safe
 * later, even if its client has disconnected.
 */
final class FirstReplies {
  /** The maximum number of stored names. */
  private static final int MOST = 10_000;

  private final Connector connector;
  private final Consumer<Connection> opened;

  /** The names that RabbitMQ has accepted, least recently used first. Guarded by itself. */
  private final Map<String, Boolean> known = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > MOST;
    }
  };

  /** Opened on first use, and again after its end. */
  private volatile @Nullable Connection connection;

  /** Used only by the thread that publishes. */
  private @Nullable Channel channel;

  private volatile boolean closed;

  /**
   * Creates an object without a connection.
   *
   * @param opened receives each new connection
   */
  FirstReplies(Connector connector, Consumer<Connection> opened) {
    this.connector = connector;
    this.opened = opened;
  }

  /** Returns whether a reply to this name cannot harm the connection of the worker. */
  boolean isKnown(String name) {
    synchronized (known) {
      return !name.startsWith(Names.DIRECT) || known.get(name) != null;
    }
  }

  /**
   * Publishes a reply, and waits until the broker has accepted it. For one thread.
   *
   * @return null if the broker has accepted it, otherwise the reason
   */
  @Nullable String publish(String name, BasicProperties properties, byte[] body) throws InterruptedException {
    try {
      Channel open = open();
      open.basicPublish("", name, properties, body);
      open.waitForConfirms();
    } catch (ShutdownSignalException end) {
      return Faults.reason(end);
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
    synchronized (known) {
      known.put(name, true);
    }
    return null;
  }

  private Channel open() throws IOException {
    Channel open = channel;
    if (open == null || !open.isOpen()) {
      Connection next = connector.connect(cause -> {});
      connection = next;
      opened.accept(next);
      if (closed) {
        Connector.endSoon(next);
      }
      open = Topology.channel(next);
      open.confirmSelect();
      channel = open;
    }
    return open;
  }

  /** Ends the connection. Does not wait. */
  void close() {
    closed = true;
    Connection last = connection;
    if (last != null) {
      Connector.endSoon(last);
    }
  }
}
