package dev.repartee.a2a.server;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.a2a.push.PushNotifications;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.access.Access;
import dev.repartee.transport.Channel;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpService;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serves an agent to clients of A2A 1.0 and 0.3, with the binding of JSON-RPC over HTTP. Both
 * versions share one address. Each request is answered in the version of its method.
 *
 * <pre>{@code
 * AgentCard card = AgentCard.builder("Echo", "Repeats messages", "1.0.0").build();
 * A2aServer server = A2aServer.builder(card)
 *     .agent(Agent.replying(message -> Message.agent(message.text())))
 *     .build();
 * server.listen("http://127.0.0.1:8080/").join();
 * }</pre>
 *
 * <p>The server offers only the features that its card declares. Without streaming, push
 * notifications or an extended card, their methods fail with the errors of the specification.
 * Thread-safe.
 */
public final class A2aServer {
  private final Settings settings;
  private final LiveTasks tasks;
  private final Turns turns;

  private A2aServer(Settings settings) {
    this.settings = settings;
    this.tasks = new LiveTasks(settings.store());
    this.turns = new Turns(settings, tasks);
  }

  /**
   * Returns a builder of a server.
   *
   * @param card the agent card. The server adds its {@linkplain Builder#url address} to a card
   *     without an address
   */
  public static Builder builder(AgentCard card) {
    return new Builder(card);
  }

  /**
   * Listens at an endpoint of HTTP, until the returned server is closed. Clients send requests to
   * the path of the URI, and fetch the card from {@code /.well-known/agent-card.json} at the same
   * host.
   *
   * @throws IOException if the endpoint cannot be bound
   * @throws IllegalArgumentException if no installed transport supports the URI
   */
  public Server listen(String uri) throws IOException {
    return Repartee.listen(uri, peers(), settings.options());
  }

  /** Returns this server for one path of {@link dev.repartee.HttpRoutes}. */
  public PeerFactory peers() {
    return new HttpPeers();
  }

  private final class HttpPeers implements PeerFactory {
    @Override
    public Peer open(Channel channel) {
      throw new IllegalStateException("A2A is served over HTTP only, not over "
          + channel.info().transport() + "; listen at an address with http: or https:");
    }

    @Override
    public HttpService http(String path) {
      return new HttpEndpoint(settings, tasks, turns, path);
    }

    @Override
    public Access access() {
      return settings.options().access();
    }

    @Override
    public void closing() {
      tasks.closing();
    }
  }

  /** A builder of servers. Not thread-safe. */
  public static final class Builder {
    private final AgentCard card;
    private @Nullable Agent agent;
    private @Nullable AgentCard extendedCard;
    private @Nullable String url;
    private @Nullable Function<HttpRequest, @Nullable String> clients;
    private TaskStore store = new MemoryTaskStore();
    private @Nullable PushNotifications push;
    private Duration cardAge = Duration.ofMinutes(5);
    private Options options = Options.DEFAULT;

    private Builder(AgentCard card) {
      this.card = card;
    }

    /** Sets the agent. Required. */
    public Builder agent(Agent agent) {
      this.agent = agent;
      return this;
    }

    /**
     * Sets the card for authenticated clients (section 3.1.11). The public card has to
     * {@linkplain dev.repartee.a2a.types.AgentCardBuilder#extendedAgentCard declare} it, and the
     * server needs {@link #authentication}.
     */
    public Builder extendedCard(AgentCard extendedCard) {
      this.extendedCard = extendedCard;
      return this;
    }

    /**
     * Sets the public address of the endpoint for the card. A server behind a proxy needs it. The
     * default is the address that the client has used.
     */
    public Builder url(String url) {
      this.url = url;
      return this;
    }

    /**
     * Sets the authentication of clients: a function that returns the name of the client of a
     * request. If it returns null, the request is refused with the status 401. Clients see only
     * their own tasks. Without this function, the name is the name of the principal of the request;
     * without a principal, all clients see all tasks. The document with the card is available
     * without credentials.
     *
     * @param clients must not block, because it runs on a thread that reads connections
     */
    public Builder authentication(Function<HttpRequest, @Nullable String> clients) {
      this.clients = clients;
      return this;
    }

    /** Sets the store of tasks. By default it is a new {@link MemoryTaskStore}. */
    public Builder store(TaskStore store) {
      this.store = store;
      return this;
    }

    /**
     * Sets the settings of push notifications. The card has to {@linkplain
     * dev.repartee.a2a.types.AgentCardBuilder#pushNotifications declare} push notifications. The
     * default is {@code PushNotifications.builder().build()}.
     */
    public Builder push(PushNotifications push) {
      this.push = push;
      return this;
    }

    /** Sets the time for which clients may cache the card; 5 minutes by default. */
    public Builder cardAge(Duration cardAge) {
      this.cardAge = cardAge;
      return this;
    }

    /**
     * Sets limits, access, layers, listener and trace. Rules of the access name the methods of both
     * versions, such as {@code CancelTask} and {@code tasks/cancel}. The layers see the requests of
     * clients. For each message they also see a call with the method {@code agent}, which runs the
     * agent. {@code Limits.runningCalls} also limits the number of messages that are handled at the
     * same time, and {@code Limits.handlerTimeout} the time for each message.
     */
    public Builder options(Options options) {
      this.options = options;
      return this;
    }

    /**
     * Returns the server.
     *
     * @throws IllegalStateException if the agent is missing, if push notifications were set but the
     *     card does not declare them, or if an extended card was set without authentication
     */
    public A2aServer build() {
      if (agent == null) {
        throw new IllegalStateException("the server has no agent; call agent() before build()");
      }
      if (extendedCard != null && clients == null) {
        throw new IllegalStateException("the extended card is for authenticated clients only; call"
            + " authentication(), also if a proxy or an HttpFilter has checked the credentials");
      }
      boolean pushes = Boolean.TRUE.equals(card.capabilities().pushNotifications());
      if (push != null && !pushes) {
        throw new IllegalStateException("the card does not declare push notifications; call"
            + " pushNotifications() of its builder");
      }
      PushNotifications chosen =
          pushes && push == null ? PushNotifications.builder().build() : push;
      return new A2aServer(
          new Settings(card, agent, extendedCard, url, clients, store, chosen, cardAge, options));
    }
  }
}
