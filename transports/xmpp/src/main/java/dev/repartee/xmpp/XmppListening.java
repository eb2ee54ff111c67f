package dev.repartee.xmpp;

import dev.repartee.broker.EventChannel;
import dev.repartee.broker.Outbox;
import dev.repartee.broker.Reconnection;
import dev.repartee.broker.Worker;
import dev.repartee.limits.Limits;
import dev.repartee.reconnect.Outage;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.jxmpp.jid.Jid;

/**
 * A service at a full address of XMPP, which connects again after a loss.
 *
 * <p>The thread of the session serves the stanzas, and waits while too many answers are unsent; the
 * outbox writes the answers.
 */
final class XmppListening implements Transport.Listening, SessionUser {
  /** The maximum number of bytes that a stanza adds to a frame. */
  private static final int STANZA = 1_000;

  /** The number of bytes that are counted for a stanza in the outbox in addition to its text. */
  private static final int OVERHEAD = 256;

  private static final String ROSTER = "roster";

  private final Endpoint endpoint;
  private final XmppConnector connector;
  private final Guests guests;
  private final Limits limits;
  private final Transport.Acceptor acceptor;
  private final ChannelInfo info;
  private final Outage outage;
  private final FrameService service;
  private final Methods methods;
  private final Worker worker;
  private final Outbox outbox;
  private final Reconnection<Session> connection;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

  /** Null without a connection. */
  private volatile @Nullable Session session;

  /** Completes when the roster of the newest connection was read. */
  private volatile CompletableFuture<@Nullable Void> roster = new CompletableFuture<>();

  /** The clients by their addresses, in the order of their last calls. Guarded by itself. */
  private final Map<Jid, Guest> clients = new LinkedHashMap<>(16, 0.75f, true);

  /** Creates a service that is not connected yet. */
  XmppListening(
      Endpoint endpoint,
      XmppConnector connector,
      Guests guests,
      Limits limits,
      Transport.Acceptor acceptor) {
    this.endpoint = endpoint;
    this.connector = connector;
    this.guests = guests;
    this.limits = limits;
    this.acceptor = acceptor;
    this.info =
        new ChannelInfo(endpoint.scheme(), connector.address().service().toString(), "stanza");
    this.outage = new Outage(connector.server(), this::report);
    int most = Math.min(limits.frameBytes(), connector.stanza() - STANZA);
    this.service = acceptor.responder().of(info, Attributes.NONE);
    this.methods = Methods.of(service, limits.frameBytes());
    this.worker = new Worker(service, info, limits.toBuilder().frameBytes(most).build());
    this.outbox = new Outbox("repartee-xmpp-outbox", limits.outboundBytes(), this::failed);
    this.connection = connector.reconnection(this);
  }

  /** Connects, and starts to accept calls. */
  XmppListening open() throws IOException {
    try {
      connection.open();
    } catch (IOException | RuntimeException e) {
      outbox.close(() -> {});
      throw e;
    }
    if (acceptor.takesConnections()) {
      acceptor.accept(new EventChannel(info, limits, outbox, (method, body) -> publish(body)));
    }
    return this;
  }

  /** Returns the maximum size of a stanza, in bytes. */
  int most() {
    return connector.stanza();
  }

  /** Reports something to the operator. */
  void report(String what) {
    acceptor.refused(info, what);
  }

  private void failed(Exception e) {
    report("a stanza could not be sent: " + Faults.text(e));
  }

  // ---------------------------------------------------------------- stanzas to clients

  /** Sends a stanza; drops it without a connection. */
  void send(String stanza) {
    try {
      outbox.add(stanza.length() + OVERHEAD, () -> write(stanza));
    } catch (DisconnectedException e) {
      // The service has ended.
    }
  }

  private void write(String stanza) throws IOException {
    Session now = session;
    if (now == null) {
      throw new IOException("there is no connection to " + connector.server());
    }
    now.send(stanza);
  }

  /** Sends an event to the clients that receive events; runs on the thread of the outbox. */
  private void publish(byte[] body) throws IOException {
    List<Guest> to = new ArrayList<>();
    synchronized (clients) {
      clients.values().stream()
          .filter(each -> each.takesEvents() && guests.mayCall(each.address()))
          .forEach(to::add);
    }
    String json = Xml.json(body);
    for (Guest each : to) {
      String stanza = Xml.stanza("message", "headline", each.address(), null, String.valueOf(json));
      if (Xml.length(stanza) > most()) {
        throw new IOException(
            "an event makes a stanza of " + Xml.length(stanza) + " bytes; the limit is " + most());
      }
      write(stanza);
    }
  }

  private String presence(@Nullable Object to, String more) {
    return Xml.stanza(
        "presence", null, to, null, "<priority>-1</priority>" + methods.caps() + more);
  }

  // ---------------------------------------------------------------- stanzas from clients

  @Override
  public void received(Session session, Element stanza) throws IOException {
    String sender = stanza.attribute("from");
    Jid from = XmppAddress.parsed(sender);
    if (from == null && !sender.isEmpty()) {
      return; // no client, and not the server of the account
    }
    boolean isOwn = from == null || from.equals(connector.address().account());
    switch (stanza.name()) {
      case "iq" -> {
        Element query = stanza.child("query", Xml.ROSTER);
        boolean isError = stanza.attribute("type").equals("error");
        if (isOwn && query != null) {
          guests.read(query, !Session.isRequest(stanza));
        }
        if (isOwn && stanza.attribute("id").equals(ROSTER)) {
          roster.complete(null);
        } else if (isOwn && query != null) {
          send(Xml.stanza("iq", "result", null, stanza.attribute("id"), ""));
        } else if (Session.isRequest(stanza)) {
          asked(from, stanza);
        } else if (isError && from != null) {
          forget(from);
        }
      }
      case "message" -> {
        if (from != null && stanza.attribute("type").equals("error")) {
          forget(from); // a message did not reach it
        } else if (from != null && guests.mayCall(from)) {
          told(client(from), stanza);
        }
      }
      case "presence" -> {
        if (from != null && !from.equals(connector.address().service())) {
          present(from, stanza);
        }
      }
      default -> {} // nothing else is a stanza
    }
  }

  @Override
  public boolean hasRoom() throws InterruptedException {
    try {
      return outbox.awaitRoom(1, TimeUnit.SECONDS); // otherwise a client could fill it
    } catch (DisconnectedException e) {
      return true; // the service has ended, and accepts nothing
    }
  }

  private void asked(@Nullable Jid from, Element iq) {
    String id = iq.attribute("id");
    Element json = iq.child("json", Xml.JSON);
    Element question = iq.child("query", Xml.DISCO);
    boolean mayCall = from != null && guests.mayCall(from);
    if (json != null && from != null && !mayCall && guests.hasRoster() && !roster.isDone()) {
      String reason = "the service does not know its contacts yet; send the message again later";
      send(Xml.error(from, id, "wait", "recipient-unavailable", reason));
    } else if (json != null && from != null && !mayCall) {
      report("a call of " + from + " was refused; add the account to the roster of "
          + connector.address().account() + ", or to the option allow");
      send(Xml.error(from, id, "auth", "forbidden", ""));
    } else if (json != null && from != null) {
      serve(client(from), iq, json);
    } else if (iq.child("ping", Xml.PING) != null && (mayCall || isServer(from))) {
      send(Xml.stanza("iq", "result", from, id, ""));
    } else if (question != null && mayCall) {
      send(Xml.stanza("iq", "result", from, id, methods.answer(question.attribute("node"))));
    } else {
      send(Xml.unavailable(iq));
    }
  }

  private boolean isServer(@Nullable Jid from) {
    return from == null || from.equals(connector.address().account().asDomainBareJid());
  }

  private void told(Guest from, Element message) {
    Element json = message.child("json", Xml.JSON);
    Element cancel = message.child("cancel", Xml.RPC);
    Element grant = message.child("grant", Xml.RPC);
    if (json != null) {
      serve(from, message, json);
    } else if (cancel != null) {
      worker.cancel(from.key(cancel.attribute("id")));
    } else if (grant != null && grant.attribute("bytes").matches("[0-9]{1,9}")) {
      worker.grant(from.key(grant.attribute("id")), Long.parseLong(grant.attribute("bytes")));
    }
  }

  private void serve(Guest from, Element stanza, Element json) {
    XmppDelivery delivery = new XmppDelivery(this, from, stanza, json);
    if (closing.get()) {
      delivery.again();
      return;
    }
    if (delivery.expectsReply()) {
      from.begun(stanza.attribute("id"));
    }
    worker.serve(delivery, from.service());
  }

  private void present(Jid from, Element presence) {
    switch (presence.attribute("type")) {
      case "" -> {
        if (guests.mayCall(from) && isShownTo(presence)) {
          boolean takesEvents = presence.child("events", Xml.RPC) != null;
          client(from, takesEvents).takesEvents(takesEvents);
        }
      }
      case "unavailable", "error" -> forget(from);
      default -> {} // about the roster, which the owner of the account manages
    }
  }

  /**
   * Returns whether a client sends its presence directly to this service, not to all its contacts.
   */
  private boolean isShownTo(Element presence) {
    return connector.address().service().equals(XmppAddress.parsed(presence.attribute("to")));
  }

  private Guest client(Jid from) {
    return client(from, false);
  }

  /**
   * Returns a client; sends the presence of this service to a new one.
   *
   * @param takesEvents whether a new client receives events, even before it sees the presence
   */
  private Guest client(Jid from, boolean takesEvents) {
    synchronized (clients) {
      Guest known = clients.get(from);
      if (known != null) {
        return known;
      }
      XmppCaller caller =
          new XmppCaller(from.asBareJid().toString(), from.getResourceOrEmpty().toString());
      Guest next = new Guest(from, service.of(info, Attributes.of(XmppCaller.ATTRIBUTE, caller)));
      next.takesEvents(takesEvents);
      if (clients.size() >= limits.connections()) {
        forgetIdle();
      }
      clients.put(from, next);
      send(presence(from, "<welcome xmlns='" + Xml.RPC + "'/>"));
      return next;
    }
  }

  /** Removes the client with the oldest last call, if it waits for no answer. */
  private void forgetIdle() {
    clients.values().stream()
        .filter(each -> each.running().isEmpty())
        .findFirst()
        .ifPresent(each -> clients.remove(each.address()));
  }

  /** Cancels the requests of a client that has gone offline. */
  private void forget(Jid from) {
    Guest gone;
    synchronized (clients) {
      gone = clients.remove(from);
    }
    if (gone != null) {
      gone.running().forEach(id -> worker.cancel(gone.key(id)));
    }
  }

  @Override
  public void ponged(Session session, long ping) {}

  @Override
  public void unhandled(Exception cause) {
    report("a stanza could not be handled: " + Faults.text(cause));
  }

  // ---------------------------------------------------------------- the connection

  @Override
  public void opened(Session opened) throws IOException {
    CompletableFuture<@Nullable Void> read = new CompletableFuture<>();
    roster = read;
    synchronized (clients) {
      clients.clear(); // they have seen this service go offline
    }
    session = opened;
    opened.begin(); // after session is set, which the answers need
    if (guests.hasRoster()) {
      opened.send(Xml.stanza("iq", "get", null, ROSTER, "<query xmlns='" + Xml.ROSTER + "'/>"));
      try {
        read.get(limits.connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      } catch (ExecutionException | TimeoutException e) {
        throw new IOException(connector.server() + " sends no roster", e);
      }
    }
    opened.send(presence(null, ""));
    opened.keepAlive(limits.pingInterval().toNanos(), () -> {});
    outage.connected();
  }

  @Override
  public void lost(IOException cause) {
    session = null;
    outage.lost(cause);
  }

  @Override
  public void failed(IOException cause) {
    session = null;
    outage.failed(cause);
  }

  // ---------------------------------------------------------------- the end

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public void close() {
    finish(Duration.ZERO);
  }

  @Override
  public CompletionStage<?> finish(Duration limit) {
    if (!closing.compareAndSet(false, true)) {
      return ended;
    }
    worker
        .finish(limit)
        .whenComplete((ok, failure) -> outbox.close(() -> {
          Session last = session;
          session = null;
          connection.close();
          if (last == null) {
            ended.complete(null);
          } else {
            last.close().thenRun(() -> ended.complete(null));
          }
        }));
    return ended;
  }
}
