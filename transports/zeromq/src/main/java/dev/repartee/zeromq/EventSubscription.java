package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.limits.Limits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.zeromq.ZMQ;
import zmq.Msg;

/**
 * The SUB socket of one connection. It receives the events of a service, and finds gaps in them by
 * their numbers. Used by the thread of the sockets.
 */
final class EventSubscription {
  /** The maximum number of topics whose events are counted. */
  private static final int COUNTED_TOPICS = 10_000;

  private static final int RECONNECT_MILLIS = 100;

  /** An event or topic number: 18 digits always fit into a {@code long}. */
  private static final String NUMBER = "[0-9]{1,18}";

  private static final byte[] NOTHING = new byte[0];

  /**
   * The events of one link that are not delivered yet. They outlive their connection, and count
   * towards the limits of the next one.
   */
  static final class Undelivered {
    private int count;
    private long bytes;

    private boolean hasRoom(Limits limits) {
      return count < limits.queuedMessages() && bytes <= limits.queuedBytes();
    }

    private void add(long size) {
      count++;
      bytes += size;
    }

    private void remove(long size) {
      count--;
      bytes -= size;
    }
  }

  private final DealerLink link;
  private final ZMQ.Socket socket;
  private final List<String> topics;
  private final Undelivered undelivered;

  /** The topic that only this connection subscribes to. The service answers it with an event. */
  private final byte[] probe = new Header("ready", UUID.randomUUID().toString()).toBytes();

  /** The number of the last event of each topic. */
  private final Map<String, Long> numbers = new HashMap<>();

  private boolean confirmed;

  EventSubscription(
      DealerLink link, ZMQ.Socket socket, List<String> topics, Undelivered undelivered) {
    this.link = link;
    this.socket = socket;
    this.topics = topics;
    this.undelivered = undelivered;
  }

  /**
   * Connects, and subscribes to the topics.
   *
   * @param handshakeMillis the time after which ZeroMQ tries a connection without an answer again
   */
  void connect(Settings settings, int port, int handshakeMillis) {
    settings.apply(socket, Settings.EVENTS);
    socket.setReconnectIVL(RECONNECT_MILLIS);
    socket.setHandshakeIvl(handshakeMillis);
    topics.forEach(topic -> socket.subscribe(topic.getBytes(UTF_8)));
    socket.subscribe(probe);
    socket.connect(settings.address().at(port).toZmq());
  }

  ZMQ.Socket socket() {
    return socket;
  }

  /** Returns whether the service has received the subscriptions: no event is missed from now on. */
  boolean isConfirmed() {
    return confirmed;
  }

  /**
   * Receives events until none is left, or too many are undelivered. The rest waits in ZeroMQ, which
   * drops events if its queue is full, too.
   */
  void receive(Limits limits) {
    while (undelivered.hasRoom(limits)) {
      Msg frame = FrameMemory.receive(socket, ZMQ.DONTWAIT);
      if (frame == null) {
        return;
      }
      byte[] topic = frame.data();
      byte[] number = NOTHING;
      byte[] body = NOTHING;
      while (frame.hasMore()) {
        frame = Objects.requireNonNull(FrameMemory.receive(socket, 0));
        number = body;
        body = frame.data();
      }
      if (FrameMemory.isDropped(frame)) {
        violation("an event of " + link.service() + " was lost, because all connections together"
            + " hold as much as they may, the limit heldBytes");
      } else if (Header.isHeader(topic)) {
        confirmed = true;
      } else if (isWanted(new String(topic, UTF_8))) {
        count(topic, new String(number, ISO_8859_1));
        deliver(body);
      }
    }
  }

  private void deliver(byte[] body) {
    undelivered.add(body.length);
    link.listener().event(body, () -> link.execute(() -> undelivered.remove(body.length)));
  }

  /**
   * ZeroMQ matches topics by their beginning. Therefore it also delivers topics with longer names.
   */
  private boolean isWanted(String topic) {
    return topics.contains("") || topics.contains(topic);
  }

  private void count(byte[] name, String text) {
    if (!text.matches(NUMBER) || name.length > Settings.TOPIC || numbers.size() >= COUNTED_TOPICS) {
      return;
    }
    String topic = new String(name, UTF_8);
    long number = Long.parseLong(text);
    Long last = numbers.put(topic, number);
    if (last != null && number > last + 1) {
      violation(number - last - 1 + " events '" + topic + "' of " + link.service()
          + " were lost, because they were not received in time");
    }
  }

  private void violation(String text) {
    link.listener().violation(text, null);
  }
}
