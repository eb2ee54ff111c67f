package dev.repartee.cli.options;

import dev.repartee.CallBuilder;
import dev.repartee.CallTimeoutException;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Dialect;
import dev.repartee.trace.Trace;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The connection of a command to its peer, and the time limit of the command. */
public final class Connection {
  /** The time to close the connection. Longer than the time to kill a child process. */
  private static final Duration CLOSING = Duration.ofSeconds(10);

  @Option(names = "--timeout", paramLabel = "TIME", description = """
          The time limit to connect and to get the response: 300ms, 2s, 1m, or a number of \
          seconds. Default: 60s.""")
  public Duration timeout = Duration.ofSeconds(60);

  /** The end of the time limit, as a value of {@link System#nanoTime}. Guarded by this object. */
  private long end;

  /** The nanoseconds left while the time limit is paused, otherwise null. Guarded as above. */
  private @Nullable Long paused;

  /**
   * Whether there is no time limit, as before the first {@link #begin}: {@code send} and the
   * backends of {@code mcp serve} have none. Guarded as above.
   */
  private boolean endless = true;

  @Option(names = "-v", description = """
          Show the times on standard error; with -v -v also every message that is sent and \
          received. Values of members such as password and token are hidden.""")
  boolean[] verbose = {};

  @Option(names = "-vv", hidden = true)
  boolean traced;

  @Mixin
  final HeaderOptions headers;

  /** Creates the connection of a command that only calls. */
  public Connection() {
    this(new CredentialOptions.Own());
  }

  /** Creates the connection with another option for the credentials. */
  public Connection(CredentialOptions credentials) {
    headers = new HeaderOptions(credentials);
  }

  /** Starts the time limit of the command, which covers connecting and the response. */
  public synchronized void begin() {
    endless = false;
    continueFor(timeout.toNanos());
  }

  /** Stops the time limit until {@link #resume}, while a person is asked. */
  public synchronized void pause() {
    paused = nanosLeft();
    Watchdog.rest();
  }

  /** Continues the time limit after {@link #pause}. Does nothing after {@link #endLimit}. */
  public synchronized void resume() {
    if (!endless) {
      continueFor(nanosLeft());
    }
  }

  /** Removes the time limit until the next {@link #begin}. */
  public synchronized void endLimit() {
    endless = true;
    pause();
  }

  private synchronized void continueFor(long nanos) {
    paused = null;
    end = System.nanoTime() + nanos;
    Watchdog.endWithin(CLOSING.plusNanos(nanos).toNanos());
  }

  /** Returns the time left, at least one nanosecond. */
  public Duration left() {
    return Duration.ofNanos(Math.max(1, nanosLeft()));
  }

  /** Returns the time left in nanoseconds; negative after the time limit. */
  public synchronized long nanosLeft() {
    return paused == null ? end - System.nanoTime() : paused;
  }

  private synchronized boolean isOver() {
    return !endless && nanosLeft() <= 0;
  }

  /** Starts the time limit of the command, and a stopwatch. */
  public Stopwatch begin(Stdio stdio) {
    begin();
    return stopwatch(stdio);
  }

  /** Starts a stopwatch, which reports only with {@code -v}. */
  public Stopwatch stopwatch(Stdio stdio) {
    return new Stopwatch(stdio, traced || verbose.length > 0);
  }

  /** Returns the options with the trace of {@code -v -v}. */
  private Options traced(Options options, Stdio stdio) {
    return traced || verbose.length > 1
        ? options.toBuilder().trace(Trace.builder().to(new ShownTrace(stdio))).build()
        : options;
  }

  /**
   * Connects within the time limit, serves the calls of the peer, and makes the first calls. Tries
   * {@linkplain Endpoint#alternatives alternative} endpoints in turn.
   */
  public Peer open(String uri, Service service, Options options, First first, Stdio stdio) {
    try {
      return anyOf(uri, each -> first.on(dialOne(each, service, options, stdio)));
    } catch (IOException e) {
      throw unreachable(uri, e);
    }
  }

  /**
   * Connects without first calls, for callers that handle an unreachable endpoint themselves.
   *
   * @throws IOException if the endpoint cannot be reached
   */
  public Peer dial(String uri, Service service, Options options, Stdio stdio) throws IOException {
    return anyOf(uri, each -> dialOne(each, service, options, stdio));
  }

  private Peer dialOne(String uri, Service service, Options options, Stdio stdio)
      throws IOException {
    Options bounded = options(options, uri, stdio);
    Channel channel = connect(uri, bounded);
    return Peer.open(channel, service, bounded.at(Endpoint.parse(uri)));
  }

  /** Connects to one endpoint. */
  private interface Dialer<T> {
    T dial(String uri) throws IOException;
  }

  /** Returns the connection to the first of the alternative endpoints that can be reached. */
  private <T> T anyOf(String uris, Dialer<T> dialer) throws IOException {
    List<String> all = Endpoint.alternatives(uris);
    if (all.size() == 1) {
      return dialer.dial(uris);
    }
    List<String> reasons = new ArrayList<>();
    IOException last = null;
    for (String uri : all) {
      if (last == null || !isOver()) {
        try {
          return dialer.dial(uri);
        } catch (IOException e) {
          last = e;
          reasons.add(Endpoint.shown(uri) + " (" + Failure.reason(e) + ")");
        }
      }
    }
    throw new IOException(
        "cannot connect to any of " + all.size() + " endpoints: " + String.join(", ", reasons),
        last);
  }

  /**
   * Returns options with the time limits, the headers, the credentials and the trace of the command
   * line, for connections to the server at a URI.
   */
  public Options options(Options options, String uri, Stdio stdio) {
    return withTimeouts(headers.addTo(traced(options, stdio), uri, stdio));
  }

  /** Returns whether the command line has credentials. */
  public boolean hasCredentials() {
    return headers.credentials.areGiven();
  }

  /** Returns the dialect of the envelope that a URI names; the first one of alternatives. */
  public static Dialect dialect(String uri) {
    try {
      String first = Endpoint.alternatives(uri).get(0);
      return Options.DEFAULT.at(Endpoint.parse(first)).dialect();
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
  }

  /**
   * Requires a URI without an envelope.
   *
   * @param action the action for the message, such as {@code "a batch"}
   */
  public static void requireJsonRpc2(String action, String uri) {
    if (!dialect(uri).isJsonRpc2()) {
      throw Failure.usage(action + " needs JSON-RPC 2.0; leave out #envelope=");
    }
  }

  /**
   * Closes the connection gracefully within the time left. After the time limit, queued frames have
   * only a moment to be sent; otherwise a peer that does not read could double the time.
   */
  public void close(Peer peer) {
    peer.close(shorter(Limits.DEFAULT.closeTimeout(), left()));
  }

  /**
   * Returns the failure to reach an endpoint. Its message contains neither the user nor the query
   * of the URI.
   */
  public static Failure unreachable(String uri, IOException cause) {
    return Failure.endpoint("cannot connect to " + Endpoint.shown(uri), cause);
  }

  /** Connects as {@link #open} does, to send frames that need not be calls. */
  public Conversation converse(String uri, Stdio stdio) {
    try {
      return anyOf(uri, each -> {
        Options options = options(Options.DEFAULT, each, stdio);
        Channel channel = connect(each, options);
        Trace trace = options.trace();
        return new Conversation(trace == null ? channel : trace.of(channel), each);
      });
    } catch (IOException e) {
      throw unreachable(uri, e);
    }
  }

  private static Channel connect(String uri, Options options) throws IOException {
    try {
      Endpoint endpoint = Endpoint.parse(uri);
      if (endpoint.scheme().equals("stdio")) {
        throw Failure.usage(
            "'" + uri + "' cannot be called, since standard output carries the result;"
                + " start the peer with exec:COMMAND instead");
      }
      return Transport.open(endpoint, options.limits(), options.headers());
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
  }

  private Options withTimeouts(Options options) {
    Limits limits = options.limits();
    return options.toBuilder()
        .limits(limits.toBuilder()
            .callTimeout(timeout)
            .connectTimeout(shorter(limits.connectTimeout(), timeout))
            .drainTimeout(shorter(limits.drainTimeout(), timeout))
            .closeTimeout(shorter(limits.closeTimeout(), timeout))
            .build())
        .build();
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /**
   * The first calls of a command on each connection. Error messages do not contain their params,
   * which may be secret.
   */
  public static final class First {
    @Option(names = "--first", paramLabel = "CALL", description = """
            'METHOD PARAMS': a call to make first on each connection, such as Ping, or a method \
            and its params as JSON; may be repeated. @FILE reads a call from each line of a file; use it for \
            secrets, such as Authenticate {"token":"..."}, because other users of the machine can \
            see the command line.""")
    List<String> calls = new ArrayList<>();

    /**
     * Makes the calls, one after another, and returns the peer. Closes the peer if a call fails.
     *
     * @throws IOException if a call fails
     */
    public Peer on(Peer peer) throws IOException {
      boolean done = false;
      try {
        for (String call : calls) {
          if (call.startsWith("@")) {
            for (String line :
                HeaderOptions.read(call.substring(1), "--first").lines().toList()) {
              make(peer, line);
            }
          } else {
            make(peer, call);
          }
        }
        done = true;
        return peer;
      } finally {
        if (!done) {
          peer.close();
        }
      }
    }

    private static void make(Peer peer, String line) throws IOException {
      if (line.isBlank()) {
        return;
      }
      String[] words = line.strip().split("\\s+", 2);
      CallBuilder call = peer.request(words[0]);
      try {
        if (words.length == 2) {
          call.params(Json.parse(words[1]));
        }
      } catch (JsonException | IllegalArgumentException e) {
        throw Failure.usage("the params of a --first call of '" + words[0] + "' have to be one JSON"
            + " array or object");
      }
      try {
        call.call(Json.class);
      } catch (IllegalArgumentException e) {
        throw Failure.usage(Failure.reason(e)); // the envelope cannot carry such params
      } catch (RpcException
          | CallTimeoutException
          | DisconnectedException
          | ProtocolException
          | JsonException e) {
        throw new IOException("a first call failed: " + Failure.reason(e), e);
      }
    }
  }
}
