package dev.repartee.zeromq;

import dev.repartee.limits.Limits;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.zeromq.ZMQ;

/**
 * The settings that all sockets of one endpoint share.
 *
 * @param heartbeat the milliseconds between two pings; a peer that does not answer within twice
 *     this time counts as lost
 * @param curve the keys; null without encryption
 */
record Settings(
    ZmqAddress address,
    Limits limits,
    int heartbeat,
    @Nullable CurveKeys curve) {
  /** The option with the seconds between two pings. */
  static final String HEARTBEAT = "heartbeat";

  private static final int DEFAULT_HEARTBEAT = 10;
  private static final int LONGEST_HEARTBEAT = 300;

  /**
   * The maximum number of requests or replies that ZeroMQ queues for a connection, in each
   * direction.
   */
  static final int MESSAGES = 100;

  /** The maximum number of events that ZeroMQ queues for a subscriber before it drops some. */
  static final int EVENTS = 1_000;

  /** The maximum size of a topic of a subscriber, in bytes. */
  static final int TOPIC = 500;

  /**
   * The maximum size of a frame to the socket of the events, in bytes: a topic, or a step of a
   * handshake.
   */
  private static final int SUBSCRIPTION = 1_024;

  /** Reads the options of an endpoint. */
  static Settings of(Endpoint endpoint, Limits limits, boolean isService) throws IOException {
    return new Settings(
        ZmqAddress.of(endpoint, isService ? 0 : 1),
        limits,
        1_000 * number(endpoint, HEARTBEAT, DEFAULT_HEARTBEAT, LONGEST_HEARTBEAT),
        CurveKeys.of(endpoint, isService));
  }

  /** Returns the number in an option, from 1 to a maximum. */
  static int number(Endpoint endpoint, String option, int otherwise, int most) {
    String text = endpoint.options().get(option);
    if (text == null) {
      return otherwise;
    }
    int number = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
    if (number < 1 || number > most) {
      throw new IllegalArgumentException("'" + endpoint.shown() + "' has " + option + "=" + text
          + "; it must be a number from 1 to " + most);
    }
    return number;
  }

  /**
   * Applies the settings to a socket before it is bound or connected.
   *
   * @param queued the maximum number of messages that ZeroMQ queues for a connection, in each
   *     direction
   */
  void apply(ZMQ.Socket socket, int queued) {
    socket.setLinger(0);
    socket.setIPv6(address.isIpv6());
    limit(socket, limits.frameBytes());
    socket.setSndHWM(queued);
    socket.setRcvHWM(queued);
    socket.setHandshakeIvl(millis(limits));
    socket.setHeartbeatIvl(heartbeat);
    socket.setHeartbeatTimeout(2 * heartbeat);
    socket.setHeartbeatTtl(2 * heartbeat);
    if (curve != null) {
      curve.apply(socket);
    }
  }

  /**
   * Applies the settings to the socket of the events of a service. Subscribers send only topics;
   * JeroMQ stores them in a tree and visits it recursively, one level for each byte.
   */
  void applyToEvents(ZMQ.Socket socket) {
    apply(socket, EVENTS);
    limit(socket, Math.min(SUBSCRIPTION, limits.frameBytes()));
  }

  private static void limit(ZMQ.Socket socket, int frameBytes) {
    socket.setMaxMsgSize(frameBytes);
    socket.setMsgAllocator(new FrameMemory(frameBytes));
  }

  /** Returns the connect timeout in milliseconds. */
  static int millis(Limits limits) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, limits.connectTimeout().toMillis()));
  }
}
