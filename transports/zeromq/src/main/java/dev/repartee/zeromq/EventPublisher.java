package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.zeromq.ZMQ;

/**
 * The XPUB socket of a service. Numbers the events of each method; subscribers can then notice a
 * gap. Used by the thread of the sockets.
 */
final class EventPublisher {
  /** The maximum number of methods whose events are numbered. */
  private static final int COUNTED_METHODS = 10_000;

  /** The first byte of a message from a subscriber, before the topic that it subscribes to. */
  private static final byte SUBSCRIBE = 1;

  private static final byte[] NOTHING = new byte[0];

  private final ZMQ.Socket socket;
  private final Map<String, Long> published = new HashMap<>();

  EventPublisher(ZMQ.Socket socket) {
    this.socket = socket;
  }

  ZMQ.Socket socket() {
    return socket;
  }

  /** Sends an event to the subscribers of its method. */
  void publish(String method, byte[] body) {
    if (published.size() > COUNTED_METHODS) {
      published.clear();
    }
    long number = published.merge(method, 1L, Long::sum);
    send(method.getBytes(UTF_8), Long.toString(number).getBytes(ISO_8859_1), body);
  }

  private void send(byte[] topic, byte[] number, byte[] body) {
    socket.send(topic, ZMQ.SNDMORE);
    socket.send(number, ZMQ.SNDMORE);
    socket.send(body, 0);
  }

  /**
   * Confirms to new subscribers that their subscriptions have arrived, with the event that they
   * request.
   */
  void confirmSubscriptions() {
    for (byte[] next = socket.recv(ZMQ.DONTWAIT); next != null; next = socket.recv(ZMQ.DONTWAIT)) {
      byte[] topic = next.length > 0 ? Arrays.copyOfRange(next, 1, next.length) : next;
      if (next.length > 0 && next[0] == SUBSCRIBE && Header.isHeader(topic)) {
        send(topic, NOTHING, NOTHING);
      }
    }
  }
}
