package dev.repartee.a2a.client;

import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentInterface;
import dev.repartee.a2a.types.ListTasksRequest;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.SendMessageResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.FieldException;
import dev.repartee.a2a.wire.Operation;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.internal.Origin;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.limits.NetworkRange;
import dev.repartee.trace.Trace;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client of an agent, over JSON-RPC with HTTP. It uses version 1.0, or 0.3 if the card of the
 * agent contains only addresses of 0.3.
 *
 * <pre>{@code
 * try (A2aClient client = A2aClient.connect("https://agent.example.com")) {
 *   if (client.send(Message.user("How is the weather?")) instanceof Task task) {
 *     System.out.println(task.artifacts());
 *   }
 * }
 * }</pre>
 *
 * <p>All methods block the calling thread until the answer arrives. They throw {@link
 * RemoteRpcException} for an error of the agent, {@link DisconnectedException} if the agent cannot
 * be reached or does not answer in time, and {@link ProtocolException} for an answer that breaks
 * the protocol, such as an HTTP status other than 200. Thread-safe.
 */
public final class A2aClient implements AutoCloseable {
  private static final String CARD = "/.well-known/agent-card.json";

  private final @Nullable AgentCard card;
  private final Requests requests;
  private final Settings settings;
  private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();

  private A2aClient(@Nullable AgentCard card, Requests requests, Settings settings) {
    this.card = card;
    this.requests = requests;
    this.settings = settings;
  }

  /** Connects to an agent with the default settings; see {@link Builder#connect}. */
  public static A2aClient connect(String url) {
    return builder().connect(url);
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the card of the agent; null if the client was created for an address without a card.
   */
  public @Nullable AgentCard card() {
    return card;
  }

  /** Returns the address in use, with its version. */
  public AgentInterface address() {
    return requests.at();
  }

  // ---------------------------------------------------------------- messages

  /** Sends a message. Waits until its task has ended, or requires input or credentials. */
  public SendMessageResponse send(Message message) {
    return send(new SendMessageRequest(message));
  }

  /** Sends a message with options for its answer. */
  public SendMessageResponse send(SendMessageRequest request) {
    return requests.call(
        Operation.SEND_MESSAGE,
        requests.codec().send(addressed(request)),
        requests.codec()::readResponse);
  }

  private SendMessageRequest addressed(SendMessageRequest request) {
    String tenant = requests.at().tenant();
    return request.tenant() != null || tenant == null ? request : request.withTenant(tenant);
  }

  /** Sends a message and returns the events of its task. */
  public EventStream stream(Message message) {
    return stream(new SendMessageRequest(message));
  }

  /** Sends a message with options for its answer. Returns the events of its task. */
  public EventStream stream(SendMessageRequest request) {
    return stream(
        Operation.SEND_STREAMING_MESSAGE,
        requests.codec().send(addressed(request)),
        request.message().taskId());
  }

  private EventStream stream(Operation operation, Json params, @Nullable String taskId) {
    Body body = requests.open(operation, params);
    String method = Objects.requireNonNull(operation.method(requests.codec().version()));
    EventStream stream = new EventStream(this, requests, settings, method, body, taskId);
    streams.add(stream);
    return stream;
  }

  void closed(EventStream stream) {
    streams.remove(stream);
  }

  // ---------------------------------------------------------------- tasks

  Json taskParams(String id, @Nullable Integer historyLength) {
    return requests.codec().taskParams(id, requests.at().tenant(), historyLength);
  }

  /** Returns the present state of a task. */
  public Task task(String id) {
    return task(id, null);
  }

  /**
   * Returns the present state of a task.
   *
   * @param historyLength the maximum number of messages in its history; null for all
   */
  public Task task(String id, @Nullable Integer historyLength) {
    return requests.call(
        Operation.GET_TASK, taskParams(id, historyLength), requests.codec()::readTask);
  }

  /**
   * Returns a page of tasks.
   *
   * @throws UnsupportedOperationException if the agent has version 0.3
   */
  public ListTasksResponse tasks(ListTasksRequest request) {
    return requests.call(
        Operation.LIST_TASKS, requests.codec().list(request), requests.codec()::readPage);
  }

  /** Cancels a task. Returns the cancelled task. */
  public Task cancel(String id) {
    return requests.call(Operation.CANCEL_TASK, taskParams(id, null), requests.codec()::readTask);
  }

  /** Returns the events of a task from now on. The first event is the current task. */
  public EventStream subscribe(String id) {
    return stream(Operation.SUBSCRIBE_TO_TASK, taskParams(id, null), id);
  }

  // ---------------------------------------------------------------- push notifications

  /** Adds an address for push notifications about a task. Returns the address with its id. */
  public TaskPushNotificationConfig createPushConfig(TaskPushNotificationConfig config) {
    return requests.call(
        Operation.CREATE_PUSH_CONFIG,
        requests.codec().config(config),
        requests.codec()::readConfigResult);
  }

  /** Returns an address for push notifications about a task. */
  public TaskPushNotificationConfig pushConfig(String taskId, String id) {
    return requests.call(
        Operation.GET_PUSH_CONFIG,
        requests.codec().configId(taskId, id),
        requests.codec()::readConfigResult);
  }

  /** Returns the addresses for push notifications about a task. */
  public List<TaskPushNotificationConfig> pushConfigs(String taskId) {
    return requests.call(
        Operation.LIST_PUSH_CONFIGS,
        requests.codec().configId(taskId, null),
        requests.codec()::readConfigs);
  }

  /** Removes an address for push notifications about a task. */
  public void deletePushConfig(String taskId, String id) {
    requests.call(
        Operation.DELETE_PUSH_CONFIG, requests.codec().configId(taskId, id), result -> result);
  }

  // ---------------------------------------------------------------- the card

  /** Returns the card for authenticated clients. */
  public AgentCard extendedCard() {
    return requests.call(Operation.GET_EXTENDED_CARD, Json.EMPTY_OBJECT, A2aJson::readCard);
  }

  /** Ends all streams. */
  @Override
  public void close() {
    streams.forEach(EventStream::close);
    requests.close();
  }

  /** A builder of clients. Not thread-safe. */
  public static final class Builder {
    /** The memory of all clients. As large as the budget for messages, but separate. */
    private static final MemoryBudget BUDGET =
        MemoryBudget.of(MemoryBudget.ofProcess().max());

    private NetworkRange.Resolver resolver = InetAddress::getAllByName;
    private @Nullable HttpClient http;
    private Headers headers = Headers.NONE;
    private @Nullable Function<URI, Headers> credentials;
    private Duration timeout = Duration.ofMinutes(5);
    private Duration idleTimeout = Duration.ofMinutes(5);
    private int reconnects = 5;
    private int frameBytes = Limits.DEFAULT.frameBytes();
    private List<String> extensions = List.of();
    private @Nullable Consumer<Json> verifier;
    private @Nullable Trace trace = Trace.ofProcess();
    private MemoryBudget budget = BUDGET;

    private Builder() {}

    /**
     * Sets the HTTP client, with its proxy and certificates. The default uses those of the JDK. A
     * client of the JDK never closes the connection of an answer that it cannot parse: use one only
     * with agents that you trust.
     */
    public Builder http(HttpClient http) {
      this.http = http;
      return this;
    }

    /**
     * Adds a header, such as credentials. It is sent only to the origin of the given address,
     * because a card may contain an address of another origin.
     */
    public Builder header(String name, String value) {
      this.headers = headers.with(name, value);
      return this;
    }

    /** Sets a function that returns further headers of each request to an address. */
    public Builder headers(Function<URI, Headers> credentials) {
      this.credentials = credentials;
      return this;
    }

    /**
     * Sets the maximum time for an answer. The default is 5 minutes, because agents may be slow.
     */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /** Sets the maximum time between two bytes of a stream; 5 minutes by default. */
    public Builder idleTimeout(Duration idleTimeout) {
      this.idleTimeout = idleTimeout;
      return this;
    }

    /** Sets the number of consecutive attempts to resume a broken stream; 5 by default. */
    public Builder reconnects(int reconnects) {
      this.reconnects = reconnects;
      return this;
    }

    /**
     * Sets the limit for the size of an answer or event in bytes; they have to be smaller. Arriving
     * answers and events and the tasks of streams are also limited by a memory budget for all
     * clients of the process, which is as large as {@link MemoryBudget#ofProcess}.
     */
    public Builder frameBytes(int frameBytes) {
      this.frameBytes = frameBytes;
      return this;
    }

    /** Sets the URIs of the extensions that the client uses. */
    public Builder extensions(String... uris) {
      this.extensions = List.of(uris);
      return this;
    }

    /**
     * Records the JSON-RPC messages, but not the request for the card. Null disables the trace. The
     * default is the trace of the system property {@value Trace#PROPERTY}, if it is set. The client
     * does not close the trace.
     */
    public Builder trace(@Nullable Trace trace) {
      this.trace = trace;
      return this;
    }

    /**
     * Sets a check of the received card, such as a check of its signatures. The check throws an
     * exception to refuse the card.
     */
    public Builder verifying(Consumer<Json> verifier) {
      this.verifier = verifier;
      return this;
    }

    /**
     * Fetches the card of an agent, and connects to its first address with JSON-RPC and version
     * 1.0. Without such an address, connects to its first address with JSON-RPC and version 0.3.
     *
     * @param url the address of the card. An address that does not end with {@code .json} stands
     *     for {@code /.well-known/agent-card.json} of its host
     * @throws IllegalArgumentException if the URL is not an HTTP address
     * @throws ProtocolException if the card is not valid, or if the card of a public host names an
     *     address of this machine or of a private network. The address is checked again before each
     *     request, even an address at the host of the card
     */
    public A2aClient connect(String url) {
      URI given = HttpAddress.parse(url);
      URI at = given.getRawPath().endsWith(".json") ? given : given.resolve(CARD);
      CardAddresses origin = new CardAddresses(given, resolver);
      HttpCalls calls = calls(at, origin);
      HttpCalls.Answer answer = calls.get(
          at, Map.of("Accept", "application/json", "A2A-Version", ProtocolVersion.V1_0.number()));
      byte[] body = calls.whole(at, answer.body());
      if (answer.status() != 200) {
        throw answer.refusal("there is no agent card at " + at + ": the HTTP status is "
            + answer.status() + "; connect to the address of the card, or use endpoint()");
      }
      try {
        Json document = Json.parse(body);
        if (verifier != null) {
          verifier.accept(document);
        }
        return connect(A2aJson.readCard(document), origin);
      } catch (JsonException e) {
        throw new ProtocolException("the card at " + at + " is not valid JSON: " + e.getMessage());
      } catch (FieldException e) {
        throw new ProtocolException(
            "the card at " + at + " is not an agent card of A2A: " + e.getMessage());
      }
    }

    /** Connects to an agent by its card, without fetching the card. */
    public A2aClient connect(AgentCard card) {
      return connect(card, null);
    }

    private A2aClient connect(AgentCard card, @Nullable CardAddresses origin) {
      for (ProtocolVersion version : List.of(ProtocolVersion.V1_0, ProtocolVersion.V0_3)) {
        for (AgentInterface each : card.supportedInterfaces()) {
          if (each.protocolBinding().equals(AgentInterface.JSON_RPC)
              && ProtocolVersion.of(each.protocolVersion()) == version) {
            return client(card, each, version, origin);
          }
        }
      }
      throw new ProtocolException("the card of '" + card.name()
          + "' names no address with JSON-RPC and version 1.0 or 0.3: "
          + card.supportedInterfaces());
    }

    /**
     * Connects to an address without a card. Does not send anything before the first message.
     *
     * @param version the version of the protocol, {@code 1.0} or {@code 0.3}
     */
    public A2aClient endpoint(String url, String version) {
      ProtocolVersion known = ProtocolVersion.of(version);
      if (known == null) {
        throw new IllegalArgumentException("the version is 1.0 or 0.3, not '" + version + "'");
      }
      return client(null, AgentInterface.jsonRpc(url, version), known, null);
    }

    private A2aClient client(
        @Nullable AgentCard card,
        AgentInterface at,
        ProtocolVersion version,
        @Nullable CardAddresses origin) {
      URI uri = HttpAddress.parse(at.url());
      if (origin != null) {
        origin.check(uri);
      }
      HttpCalls calls = calls(uri, origin);
      return new A2aClient(
          card,
          new Requests(calls, at, version, extensions, trace),
          new Settings(idleTimeout, reconnects, budget));
    }

    /** Sets the resolver of host names. */
    Builder resolver(NetworkRange.Resolver resolver) {
      this.resolver = resolver;
      return this;
    }

    /** Sets the memory for answers, events and the tasks of streams. */
    Builder budget(MemoryBudget budget) {
      this.budget = budget;
      return this;
    }

    /**
     * Returns the calls to an address. An address from a card is checked before each request. The
     * headers are sent only to the origin of the card.
     */
    private HttpCalls calls(URI to, @Nullable CardAddresses origin) {
      boolean isGiven = origin == null || Origin.isSame(to, origin.card());
      Headers own = isGiven ? headers : Headers.NONE;
      Function<URI, Headers> more = credentials;
      HttpClient sender = http == null ? HttpAddress.CLIENT : http;
      return new HttpCalls(
          sender,
          () -> {
            if (origin != null) {
              origin.check(to);
            }
            Headers all = own;
            if (more != null) {
              for (Map.Entry<String, String> each : more.apply(to).fields().entrySet()) {
                all = all.with(each.getKey(), each.getValue());
              }
            }
            return all;
          },
          timeout,
          frameBytes,
          budget);
    }
  }
}
