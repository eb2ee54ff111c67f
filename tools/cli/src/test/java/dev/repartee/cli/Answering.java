package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A peer that sends the same texts, valid or not, after the first frame of each connection. */
final class Answering implements AutoCloseable {
  /** Closes the connection instead of sending a frame. */
  static final String END = "END";

  private final Transport.Listening listening;
  private final List<String> heard = new CopyOnWriteArrayList<>();

  /** Has a permit for each connection that has ended. */
  private final Semaphore ended = new Semaphore(0);

  Answering(String uri, String... answers) throws IOException {
    Endpoint endpoint = Endpoint.parse(uri);
    listening = Transport.of(endpoint)
        .listen(
            endpoint,
            Limits.DEFAULT,
            channel -> channel.start(new Mouth(channel, List.of(answers))));
  }

  String uri() {
    return listening.endpoint().toString();
  }

  /** Waits for the end of a connection, and returns the frames received so far. */
  List<String> heard() throws InterruptedException {
    return heard(1);
  }

  /** Waits for the end of some connections, and returns the frames received so far. */
  List<String> heard(int connections) throws InterruptedException {
    assertThat(ended.tryAcquire(connections, 60, TimeUnit.SECONDS))
        .as("the end")
        .isTrue();
    return heard;
  }

  @Override
  public void close() {
    listening.close();
  }

  private final class Mouth implements Receiver {
    private final Channel channel;
    private List<String> answers;

    Mouth(Channel channel, List<String> answers) {
      this.channel = channel;
      this.answers = answers;
    }

    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      heard.add(new String(bytes, from, to - from, UTF_8));
      for (String answer : answers) {
        if (answer.equals(END)) {
          channel.close();
        } else {
          channel.send(answer.getBytes(UTF_8));
        }
      }
      answers = List.of();
      return true;
    }

    @Override
    public void fault(FrameFault fault) {}

    @Override
    public boolean ready() {
      return true;
    }

    @Override
    public void inputClosed(Throwable cause) {
      channel.close();
    }

    @Override
    public void closed(Throwable cause) {
      ended.release();
    }
  }
}
