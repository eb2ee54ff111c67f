package dev.repartee.xmpp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.broker.OutgoingRequest;
import dev.repartee.broker.ReconnectingLink;
import dev.repartee.broker.Reconnection;
import dev.repartee.broker.Reply;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one service in IQ stanzas, and notifications in messages. The key of a request
 * is the id of its stanza.
 *
 * <p>The client sends its presence to the service, and the service answers with its presence. The
 * servers therefore immediately notify each side when the other goes offline.
 */
final class XmppRequestLink extends ReconnectingLink<Session, Session> implements SessionUser {
  /** The time to wait until a service has registered a client for events. */
  private static final long SEEN_MILLIS = 2_000;

  /** The maximum number of requests that are reported as lost when the service goes offline. */
  private static final int MOST_WAITING = 100_000;

  /** The maximum number of bytes of events that wait to be delivered. */
  private static final long MOST_EVENTS = 4 << 20;

  private final XmppConnector connector;
  private final String service;
  private final boolean takesEvents;
  private final long interval;
  private final Reconnection<Session> connection;

  /** Reaches zero when the service has registered this client for the first time. */
  private final CountDownLatch seen = new CountDownLatch(1);

  /** Whether the service has registered this client, over the newest connection. */
  private volatile boolean isKnown;

  // Guarded by this.
  /**
   * The keys of the requests without a reply, oldest first, and whether the service was online when
   * they were sent.
   */
  private final Map<String, Boolean> waiting = new LinkedHashMap<>() {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > MOST_WAITING;
    }
  };

  /** The keys of the notifications that the server may not have received yet. */
  private List<String> unconfirmed = new ArrayList<>();

  /** The keys that the answer to {@link #confirmation} will confirm. */
  private List<String> confirming = List.of();

  /** The ping that follows them; 0 if none is in flight. */
  private long confirmation;

  private long unreadEvents;

  /**
   * Creates a link.
   *
   * @param takesEvents whether to subscribe to the events of the service
   * @param interval the nanoseconds between pings; 0 for none
   */
  XmppRequestLink(XmppConnector connector, boolean takesEvents, long interval) {
    this.connector = connector;
    this.service = connector.address().service().toString();
    this.takesEvents = takesEvents;
    this.interval = interval;
    this.connection = connector.reconnection(this);
  }

  /** Connects; waits a short time for the service if its events should be received. */
  void open() throws IOException {
    connection.open();
    if (takesEvents) {
      try {
        seen.await(SEEN_MILLIS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---------------------------------------------------------------- requests

  @Override
  public void send(OutgoingRequest request) {
    Session now = session();
    if (now == null) {
      throw DisconnectedException.closed(service, null);
    }
    String key = request.key();
    String stanza = stanza(request);
    if (stanza == null) {
      return;
    }
    try {
      if (!request.expectsReply()) {
        now.send(stanza);
        confirm(now, key);
        return;
      }
      synchronized (this) {
        waiting.put(key, isKnown);
      }
      now.send(stanza);
      listener().accepted(key);
    } catch (IOException e) {
      throw DisconnectedException.closed(service, e); // the message was not sent
    }
  }

  private @Nullable String stanza(OutgoingRequest request) {
    boolean isCall = request.expectsReply();
    String key = request.key();
    String json = isCall
        ? Xml.json(request.body(), "window", String.valueOf(request.window()))
        : Xml.json(request.body());
    if (json == null) {
      listener()
          .refused(
              key,
              "it contains control characters",
              "the message is not UTF-8 text without control characters, as XML requires");
      return null;
    }
    String stanza =
        Xml.stanza(isCall ? "iq" : "message", isCall ? "set" : "headline", service, key, json);
    int length = Xml.length(stanza);
    if (length > connector.stanza()) {
      listener()
          .refused(
              key,
              "it is too large for the service",
              "the message makes a stanza of " + length + " bytes; the limit is "
                  + connector.stanza()
                  + ", which the option stanza raises if the servers accept more");
      return null;
    }
    return stanza;
  }

  /** Reports a notification after the server has received it. */
  private void confirm(Session now, String key) {
    synchronized (this) {
      unconfirmed.add(key);
    }
    try {
      confirmNext(now);
    } catch (IOException e) {
      // The connection was lost after the message was sent; lost() settles it.
    }
  }

  private void confirmNext(Session now) throws IOException {
    long ping;
    synchronized (this) {
      if (confirmation != 0 || unconfirmed.isEmpty()) {
        return;
      }
      confirming = unconfirmed;
      unconfirmed = new ArrayList<>();
      ping = now.nextPing();
      confirmation = ping;
    }
    now.ping(ping);
  }

  @Override
  public void ponged(Session now, long ping) {
    List<String> taken;
    synchronized (this) {
      if (now != session() || confirmation == 0 || confirmation > ping) {
        return;
      }
      taken = confirming;
      confirming = List.of();
      confirmation = 0;
    }
    taken.forEach(listener()::accepted);
    Threads.run(() -> confirmNext(now));
  }

  @Override
  public void cancel(String key) {
    synchronized (this) {
      waiting.remove(key);
    }
    control("<cancel xmlns='" + Xml.RPC + "' id='" + key + "'/>");
  }

  @Override
  public void grant(String worker, String key, long bytes) {
    control("<grant xmlns='" + Xml.RPC + "' id='" + key + "' bytes='" + bytes + "'/>");
  }

  private void control(String content) {
    Session now = session();
    if (now != null) {
      try {
        now.send(Xml.stanza("message", "headline", service, null, content));
      } catch (IOException e) {
        // The connection has ended, and with it the request.
      }
    }
  }

  @Override
  public void close() {
    super.close();
    connection.close();
  }

  // ---------------------------------------------------------------- stanzas

  @Override
  public boolean hasRoom() {
    return true; // its stanzas cause none
  }

  @Override
  public void received(Session from, Element stanza) throws IOException {
    boolean isOfService = isService(stanza);
    boolean isError = stanza.attribute("type").equals("error");
    switch (stanza.name()) {
      case "iq" -> {
        if (Session.isRequest(stanza)) {
          from.send(Xml.unavailable(stanza));
        } else if (isOfService) {
          answered(stanza, isError);
        }
      }
      case "message" -> {
        if (isOfService && isError) {
          answered(stanza, true);
        } else if (isOfService) {
          told(stanza);
        }
      }
      case "presence" -> {
        if (isOfService) {
          present(from, stanza);
        }
      }
      default -> {} // nothing else is a stanza
    }
  }

  private boolean isService(Element stanza) {
    return connector.address().service().equals(XmppAddress.parsed(stanza.attribute("from")));
  }

  /** Processes the answer to a request, or the refusal of a message. */
  private void answered(Element stanza, boolean isError) {
    String key = stanza.attribute("id");
    Boolean wasThere;
    synchronized (this) {
      wasThere = waiting.remove(key);
    }
    if (isError) {
      refused(key, !Boolean.FALSE.equals(wasThere), stanza.child("error", stanza.namespace()));
      return;
    }
    Element json = stanza.child("json", Xml.JSON);
    listener().reply(new Reply(key, json == null ? new byte[0] : bytes(json), false, null));
  }

  private void refused(String key, boolean wasThere, @Nullable Element error) {
    String condition = Faults.condition(error);
    String reason = Faults.answer(error, service, connector.address().account().toString());
    String unsent = Faults.unsent(condition, wasThere);
    if (unsent == null) {
      listener().unanswered(key, reason);
    } else {
      listener().refused(key, unsent, reason);
    }
  }

  private static byte[] bytes(Element json) {
    return json.text().getBytes(UTF_8);
  }

  /** Processes a message before a reply, or an event. */
  private void told(Element message) {
    Element json = message.child("json", Xml.JSON);
    if (json == null) {
      return;
    }
    String request = json.attribute("{" + Xml.RPC + "}request");
    if (!request.isEmpty()) {
      listener().reply(new Reply(request, bytes(json), true, service));
    } else if (takesEvents) {
      happened(bytes(json));
    }
  }

  private void happened(byte[] body) {
    synchronized (this) {
      if (unreadEvents + body.length > MOST_EVENTS) {
        listener().violation("an event was dropped, because events are not taken in time", null);
        return;
      }
      unreadEvents += body.length;
    }
    listener().event(body, () -> {
      synchronized (this) {
        unreadEvents -= body.length;
      }
    });
  }

  private void present(Session from, Element presence) throws IOException {
    String type = presence.attribute("type");
    if (type.isEmpty()) {
      boolean wasKnown = isKnown;
      if (presence.child("welcome", Xml.RPC) != null) {
        isKnown = true;
        seen.countDown();
      }
      if (!wasKnown) {
        announce(from); // the service may have been offline before
      }
    } else if (type.equals("unavailable")) {
      isKnown = false;
      List<String> gone;
      synchronized (this) {
        gone = new ArrayList<>(waiting.keySet());
        waiting.clear();
      }
      for (String key : gone) {
        listener()
            .unanswered(
                key,
                service + " went offline before its answer; the outcome is unknown: the message may"
                    + " have been handled");
      }
    }
  }

  /** Sends the presence of this client to the service, which answers with its presence. */
  private void announce(Session to) throws IOException {
    to.send(Xml.stanza(
        "presence", null, service, null, takesEvents ? "<events xmlns='" + Xml.RPC + "'/>" : ""));
  }

  @Override
  public void unhandled(Exception cause) {
    listener().violation("a stanza could not be read", cause);
  }

  // ---------------------------------------------------------------- the connection

  @Override
  protected Session openSession(Session opened, boolean again) throws IOException {
    isKnown = false;
    synchronized (this) {
      waiting.clear();
      unconfirmed.clear();
      confirming = List.of();
      confirmation = 0;
    }
    opened.begin();
    // Without a presence, the server would not report the end of this session to the service.
    opened.send("<presence><priority>-1</priority></presence>");
    announce(opened);
    opened.keepAlive(interval, () -> {
      if (!isKnown) {
        announce(opened);
      }
    });
    return opened;
  }
}
