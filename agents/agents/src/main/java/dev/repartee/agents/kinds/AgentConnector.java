package dev.repartee.agents.kinds;

import dev.repartee.Options;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Team;
import dev.repartee.agents.internal.Workers;
import dev.repartee.transport.Headers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connects to agents by their URIs, and requests the skills of each agent with one call.
 *
 * <p>A URI is a protocol, a plus and an endpoint: {@code mcp+exec:node server.js},
 * {@code mcp+https://example.com/mcp}, {@code acp+exec:agent --acp},
 * {@code json-rpc+tcp://127.0.0.1:7000}. The default protocol is JSON-RPC. The endpoints are the
 * same as for {@link dev.repartee.Repartee#connect(String)}; {@code exec:} starts a child process.
 *
 * <p>Immutable and thread-safe.
 */
public final class AgentConnector {
  /** The default time to connect to an agent and to get its skills. */
  public static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** The maximum number of skills of an agent; their schemas need memory. */
  static final int MOST_SKILLS = 1_000;

  /** The maximum number of questions of one task, for agents that end a call with a question. */
  static final int MOST_QUESTIONS = 100;

  private final Options options;
  private final Duration timeout;
  private final Map<String, Headers> headers;

  /** Creates a connector with the default options. */
  public AgentConnector() {
    this(Options.DEFAULT, TIMEOUT);
  }

  /**
   * Creates a connector.
   *
   * @param options the limits, headers, trace and listener of the connections. Agents of A2A have
   *     no trace and no listener
   * @param timeout the time to connect to an agent and to get its skills
   * @throws IllegalArgumentException if the time is not positive
   */
  public AgentConnector(Options options, Duration timeout) {
    this(options, positive(timeout), Map.of());
  }

  private AgentConnector(Options options, Duration timeout, Map<String, Headers> headers) {
    this.options = options;
    this.timeout = timeout;
    this.headers = headers;
  }

  private static Duration positive(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("the time to connect has to be positive, not " + timeout);
    }
    return timeout;
  }

  /**
   * Returns a connector that sends further headers to one agent, such as its credentials.
   *
   * @param agent the name of the agent
   */
  public AgentConnector withHeaders(String agent, Headers headers) {
    Map<String, Headers> all = new HashMap<>(this.headers);
    all.put(agent, headers);
    return new AgentConnector(options, timeout, Map.copyOf(all));
  }

  /** Returns a connector with the headers for one agent in its options. */
  private AgentConnector settings(String agent) {
    Options.Builder own = options.toBuilder();
    headers.getOrDefault(agent, Headers.NONE).fields().forEach(own::header);
    return new AgentConnector(own.build(), timeout);
  }

  Options options() {
    return options;
  }

  Duration timeout() {
    return timeout;
  }

  /**
   * Connects to an agent and waits for its skills.
   *
   * @throws IOException if the agent cannot be reached, or does not answer in time
   * @throws IllegalArgumentException if the URI is malformed
   * @throws RuntimeException if the agent breaks its protocol; {@link Failure#of} converts it
   */
  public Agent connect(String name, String uri) throws IOException {
    AgentUri parsed = AgentUri.parse(uri);
    CompletableFuture<Agent> connecting = connecting(name, parsed);
    try {
      return connecting.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      abandon(connecting);
      throw new IOException(late(), e);
    } catch (InterruptedException e) {
      abandon(connecting);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting to '" + name + "'", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    }
  }

  /**
   * Connects to agents concurrently. An agent that is not ready within the time-out is absent from
   * the team; {@link Team#absent} has the reason.
   *
   * @param uris the URIs of the agents by name
   * @throws IllegalArgumentException if a URI is malformed; then no agent is connected
   */
  public Team team(Map<String, String> uris) {
    Map<String, AgentUri> parsed = new LinkedHashMap<>();
    uris.forEach((name, uri) -> parsed.put(name, parsed(name, uri)));
    Map<String, CompletableFuture<Agent>> all = new LinkedHashMap<>();
    parsed.forEach((name, uri) -> all.put(name, connecting(name, uri)));
    long end = System.nanoTime() + timeout.toNanos();
    List<Agent> agents = new ArrayList<>();
    Map<String, Failure> absent = new LinkedHashMap<>();
    all.forEach((name, connecting) -> {
      try {
        agents.add(connecting.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS));
      } catch (TimeoutException e) {
        abandon(connecting);
        absent.put(name, new Failure(Failure.Kind.UNREACHABLE, late()));
      } catch (InterruptedException e) {
        abandon(connecting);
        Thread.currentThread().interrupt();
        absent.put(name, Failure.of(e));
      } catch (ExecutionException e) {
        absent.put(name, Failure.of(e));
      }
    });
    return new Team(agents, absent);
  }

  private static AgentUri parsed(String name, String uri) {
    try {
      return AgentUri.parse(uri);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the agent '" + name + "': " + e.getMessage(), e);
    }
  }

  private String late() {
    return "it has not sent its skills within " + timeout.toMillis() + " ms";
  }

  private CompletableFuture<Agent> connecting(String name, AgentUri uri) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return uri.protocol().connector().connect(name, uri.endpoint(), settings(name));
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        },
        Workers.ALL);
  }

  /** Closes an agent that connects after the time-out. */
  private static void abandon(CompletableFuture<Agent> connecting) {
    connecting.thenAcceptAsync(Agent::close, Workers.ALL);
  }
}
