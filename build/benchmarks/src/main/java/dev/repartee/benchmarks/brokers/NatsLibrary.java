package dev.repartee.benchmarks.brokers;

import dev.repartee.benchmarks.load.Caller;
import dev.repartee.benchmarks.load.Driver;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Nats;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/** The Java client of NATS: requests to a queue group. */
record NatsLibrary() implements Library {
  private static final String GROUP = "q";
  private static final Duration TIMEOUT = Duration.ofSeconds(TIMEOUT_SECONDS);

  private record NatsCaller(Connection connection, String subject) implements Caller {
    @Override
    public boolean call() throws Exception {
      Message answer = connection.request(subject, REQUEST, TIMEOUT);
      return answer != null && Library.isAnswer(answer.getData());
    }

    @Override
    public void call(Driver.Done done) {
      connection
          .requestWithTimeout(subject, REQUEST, TIMEOUT)
          .whenComplete(done.expecting(answer -> Library.isAnswer(answer.getData())));
    }

    @Override
    public void close() throws IOException {
      NatsLibrary.close(connection);
    }
  }

  private static String subject(String uri) {
    return URI.create(uri).getPath().substring(1);
  }

  private static Connection connection(String uri) throws Exception {
    return Nats.connect("nats://127.0.0.1:" + URI.create(uri).getPort());
  }

  @Override
  public Caller connect(String uri) throws Exception {
    return new NatsCaller(connection(uri), subject(uri));
  }

  @Override
  public Closeable serve(String uri, int bound) throws Exception {
    Connection connection = connection(uri);
    Handlers handlers = new Handlers(bound);
    connection
        .createDispatcher(message -> answer(handlers, connection, message))
        .subscribe(subject(uri), GROUP);
    connection.flush(TIMEOUT);
    return () -> {
      close(connection);
      handlers.close();
    };
  }

  private static void close(Connection connection) throws IOException {
    try {
      connection.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the connection ends", e);
    }
  }

  private static void answer(Handlers handlers, Connection connection, Message message) {
    try {
      handlers.handle(() -> connection.publish(message.getReplyTo(), ANSWER));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
