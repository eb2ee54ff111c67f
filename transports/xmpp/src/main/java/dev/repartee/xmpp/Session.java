package dev.repartee.xmpp;

import dev.repartee.broker.Causes;
import dev.repartee.broker.Outbox;
import dev.repartee.internal.Clock;
import dev.repartee.transport.DisconnectedException;
import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;
import java.net.ConnectException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jivesoftware.smack.ConnectionListener;
import org.jivesoftware.smack.SmackException;
import org.jivesoftware.smack.packet.Nonza;
import org.jivesoftware.smack.packet.XmlEnvironment;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jivesoftware.smack.tcp.XMPPTCPConnectionConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an XMPP server. The library connects and logs in; after that this class reads and
 * writes the stanzas, so that both directions are bounded and ordered. Thread-safe.
 *
 * <p>A separate thread delivers the stanzas; while its queue is full, nothing is read. A server
 * that sends nothing for twice the interval of the pings counts as lost.
 */
final class Session extends XMPPTCPConnection {
  /** The maximum bytes of stanzas that wait to be delivered, and that wait to be written. */
  private static final int WAITING = 4 << 20;

  /** The number of bytes that are counted for a waiting stanza in addition to its text. */
  private static final int OVERHEAD = 256;

  /** The time to send the last stanzas when the session closes. */
  private static final long CLOSING_MILLIS = 800;

  /** The time to wait for a TLS alert after a write has failed. */
  private static final long ALERT_MILLIS = 1_000;

  private static final Set<String> STANZAS = Set.of("iq", "message", "presence");

  /** The start of the ids of pings. */
  private static final String PING = "ping-";

  private static final Pattern PONG = Pattern.compile(PING + "([0-9]{1,18})");

  /** The receiver of the stanzas of a connection. Called by one thread. */
  interface Receiver {
    /** Waits a short time for room for the effects of a stanza; returns whether there is room. */
    boolean hasRoom() throws InterruptedException;

    /** Receives a stanza. */
    void received(Session session, Element stanza) throws IOException;

    /** Reports that the server has received everything that was sent before this ping. */
    void ponged(Session session, long ping);

    /** Reports that a stanza could not be handled. */
    void unhandled(Exception cause);
  }

  /** A stanza that waits to be written. */
  private final class Written implements Nonza {
    private final String xml;
    private boolean isTaken;

    Written(String xml) {
      this.xml = xml;
    }

    /** Called once by the thread that writes; the library has no other notification of this. */
    @Override
    public CharSequence toXML(XmlEnvironment environment) {
      lock.lock();
      try {
        if (!isTaken) {
          isTaken = true;
          unwritten -= xml.length() + OVERHEAD;
          changed.signalAll();
        }
      } finally {
        lock.unlock();
      }
      return xml;
    }

    @Override
    public String getElementName() {
      return "stanza";
    }

    @Override
    public String getNamespace() {
      return "jabber:client";
    }
  }

  private final Receiver receiver;
  private final Consumer<IOException> ended;
  private final int most;
  private final Outbox inbox;
  private final AtomicLong pings = new AtomicLong();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

  /** Completes with the failure of a read. */
  private final CompletableFuture<IOException> unreadable = new CompletableFuture<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** The number of threads that are sending and may be waiting for the server. */
  private final AtomicInteger sending = new AtomicInteger();

  /** Opened by {@link #begin}, or by the end of the session. The stanzas wait for it. */
  private final CountDownLatch begun = new CountDownLatch(1);

  private final Clock clock;
  private volatile long lastRead;

  /** The next check of {@link #keepAlive}. */
  private volatile Clock.@Nullable Timer check;

  // Guarded by the lock.
  private long unwritten;
  private boolean isEnded;

  /**
   * Creates a session that is not connected.
   *
   * @param ended receives the reason for the end of the connection, after all stanzas, at most once
   * @param most the maximum number of characters of a stanza, if larger than {@link #WAITING}; a
   *     larger stanza ends the connection
   */
  Session(
      XMPPTCPConnectionConfiguration configuration,
      Receiver receiver,
      Consumer<IOException> ended,
      int most,
      Clock clock) {
    super(configuration);
    this.clock = clock;
    this.lastRead = clock.nanos();
    this.receiver = receiver;
    this.ended = ended;
    this.most = Math.max(most, WAITING);
    this.inbox = new Outbox("repartee-xmpp", WAITING, this::failed);
    inbox.add(0, begun::await);
    setUseStreamManagement(false); // the channel settles calls that may be lost
    addConnectionListener(new ConnectionListener() {
      @Override
      public void connectionClosed() {
        end(new IOException("the server has ended it"));
      }

      @Override
      public void connectionClosedOnError(Exception e) {
        end(failure(e));
      }
    });
  }

  private void failed(Exception e) {
    if (!(e instanceof IOException)) { // which is the end of the connection
      receiver.unhandled(e);
    }
  }

  private static IOException failure(Exception e) {
    return new IOException(Faults.text(e), e);
  }

  /**
   * Ends an attempt to connect.
   *
   * @param why is thrown by the methods that connect
   */
  void giveUp(SmackException why) {
    setCurrentConnectionExceptionAndNotify(why);
  }

  /**
   * Starts to deliver the stanzas, including earlier ones: a server sends stanzas as soon as it has
   * bound the address, before the login ends here. The caller must be able to answer them.
   */
  void begin() {
    lastRead = clock.nanos();
    begun.countDown();
  }

  private boolean hasBegun() {
    return begun.getCount() == 0;
  }

  /**
   * Starts to check the connection at this interval; never if it is 0.
   *
   * @param task also runs each time
   */
  void keepAlive(long nanos, Threads.Task task) {
    if (nanos > 0) {
      AtomicBoolean isPinging = new AtomicBoolean(); // which may block
      checkAfter(nanos, () -> {
        if (isPinging.compareAndSet(false, true)) {
          Threads.run(() -> {
            try {
              ping(nextPing());
              task.run();
            } finally {
              isPinging.set(false);
            }
          });
        }
      });
    }
  }

  /** Ends the connection if the server is silent; runs the task and repeats this if not. */
  private void checkAfter(long nanos, Runnable task) {
    Clock.Timer next = clock.schedule(Duration.ofNanos(nanos), Threads.POOL, () -> {
      if (clock.nanos() - lastRead > 2 * nanos) {
        lose(new IOException("the server does not answer"));
      } else {
        task.run();
        checkAfter(nanos, task);
      }
    });
    check = next;
    if (hasEnded()) { // perhaps before it had this timer
      next.cancel();
    }
  }

  /** Called by the library for each stream, before it is read. */
  @Override
  protected void initDebugger() {
    super.initDebugger();
    Reader noted = new FilterReader(reader) {
      @Override
      public int read(char[] to, int from, int count) throws IOException {
        try {
          return super.read(to, from, count);
        } catch (IOException e) {
          unreadable.complete(e);
          throw e;
        }
      }
    };
    reader = new StanzaReader(noted, this::takes, most);
  }

  /**
   * Returns the reason why an attempt to connect has failed. A TLS alert ends both directions, and
   * the library may have detected the failure of a write first.
   */
  Exception reason(Exception failure) {
    Throwable root = Causes.innermost(failure);
    if (!(root instanceof SocketException) || root instanceof ConnectException) {
      return failure;
    }
    try {
      IOException read = unreadable.get(ALERT_MILLIS, TimeUnit.MILLISECONDS);
      return read instanceof SSLException ? read : failure;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failure;
    } catch (ExecutionException | TimeoutException e) {
      return failure;
    }
  }

  /** Accepts all stanzas but the answers to the login, on the thread that reads. */
  private boolean takes(String name, String stream, String text) throws IOException {
    lastRead = clock.nanos();
    if (!STANZAS.contains(name)) {
      if (name.equals("challenge") || name.equals("success")) { // which may have a challenge, too
        Scram.requireCheap(Element.read(stream, text, most));
      }
      return false;
    }
    Element stanza = Element.read(stream, text, most);
    if (!hasBegun() && name.equals("iq") && !isRequest(stanza)) {
      return false; // an answer to the login, for the library
    }
    try {
      while (!receiver.hasRoom()) {} // a server that reads nothing is detected as lost
      while (!inbox.awaitRoom(1, TimeUnit.SECONDS)) {
        if (sending.get() == 0) {
          lastRead = clock.nanos(); // this side is slow, not the server
        }
      }
      inbox.add(stanza.size(), () -> deliver(stanza));
    } catch (DisconnectedException e) {
      throw new IOException("the connection is closed", e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    return true;
  }

  private void deliver(Element stanza) throws IOException {
    Matcher pong = PONG.matcher(stanza.attribute("id"));
    if (stanza.name().equals("iq") && pong.matches() && !isRequest(stanza) && isOfServer(stanza)) {
      receiver.ponged(this, Long.parseLong(pong.group(1)));
    } else {
      receiver.received(this, stanza);
    }
  }

  /** Returns whether the server of the account has sent a stanza itself. */
  private boolean isOfServer(Element stanza) {
    String from = stanza.attribute("from");
    return from.isEmpty()
        || getXMPPServiceDomain().equals(from)
        || getUser().asBareJid().equals(from);
  }

  /** Returns whether an IQ expects an answer. */
  static boolean isRequest(Element iq) {
    String type = iq.attribute("type");
    return type.equals("get") || type.equals("set");
  }

  /**
   * Sends a stanza; waits while the server reads too slowly.
   *
   * @throws IOException if the connection has ended
   */
  void send(String xml) throws IOException {
    sending.incrementAndGet();
    try {
      reserve(xml.length() + OVERHEAD);
      sendNonza(new Written(xml));
    } catch (SmackException.NotConnectedException e) {
      throw new IOException("the connection has ended", e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      sending.decrementAndGet();
    }
  }

  private void reserve(long bytes) throws IOException, InterruptedException {
    lock.lock();
    try {
      while (unwritten > WAITING && !isEnded) {
        changed.await();
      }
      if (isEnded) {
        throw new IOException("the connection has ended");
      }
      unwritten += bytes;
    } finally {
      lock.unlock();
    }
  }

  private static IOException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IOException("it was interrupted", e);
  }

  /** Returns the number of the next ping. */
  long nextPing() {
    return pings.incrementAndGet();
  }

  /**
   * Sends a ping; the answer confirms that the server has received all earlier stanzas. See
   * {@link Receiver#ponged}.
   */
  void ping(long number) throws IOException {
    send(Xml.stanza("iq", "get", null, PING + number, "<ping xmlns='" + Xml.PING + "'/>"));
  }

  /** Ends the connection because of a fault. Does not wait. */
  void lose(IOException why) {
    end(why);
    close();
  }

  private void end(IOException why) {
    lock.lock();
    try {
      isEnded = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    Clock.Timer next = check;
    if (next != null) {
      next.cancel();
    }
    inbox.close(() -> ended.accept(why)); // the first end counts
    if (!hasBegun()) {
      inbox.clear(); // the receiver was never ready for them
      begun.countDown();
    }
  }

  /**
   * Sends the queued stanzas and ends the connection. Does not wait; the stage completes at the
   * end.
   */
  CompletionStage<?> close() {
    if (closing.compareAndSet(false, true)) {
      Threads.run(() -> {
        try {
          if (hasEnded()) {
            instantShutdown();
          } else {
            setReplyTimeout(CLOSING_MILLIS);
            disconnect();
          }
        } finally {
          end(new IOException("it was closed"));
          closed.complete(null);
        }
      });
    }
    return closed;
  }

  private boolean hasEnded() {
    lock.lock();
    try {
      return isEnded;
    } finally {
      lock.unlock();
    }
  }
}
