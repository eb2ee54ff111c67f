package dev.repartee.xmpp;

import dev.repartee.transport.FrameService;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jxmpp.jid.Jid;

/** A client of a service, from its first call until it goes offline. Thread-safe. */
final class Guest {
  private static final AtomicLong NUMBERS = new AtomicLong();

  /** Distinguishes this client from an earlier one at the same address. */
  private final long number = NUMBERS.incrementAndGet();

  private final Jid address;
  private final FrameService service;

  /** The ids of its running requests. */
  private final Set<String> running = ConcurrentHashMap.newKeySet();

  private volatile boolean takesEvents;

  /**
   * Creates a client.
   *
   * @param address its full address
   * @param service the service for its frames
   */
  Guest(Jid address, FrameService service) {
    this.address = address;
    this.service = service;
  }

  Jid address() {
    return address;
  }

  FrameService service() {
    return service;
  }

  boolean takesEvents() {
    return takesEvents;
  }

  void takesEvents(boolean takes) {
    takesEvents = takes;
  }

  void begun(String id) {
    running.add(id);
  }

  void ended(String id) {
    running.remove(id);
  }

  Set<String> running() {
    return running;
  }

  /** Returns the key of a request of this client. */
  String key(String id) {
    return number + " " + id;
  }
}
