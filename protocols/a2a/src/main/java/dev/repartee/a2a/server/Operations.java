package dev.repartee.a2a.server;

import dev.repartee.Call;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.a2a.delivery.PushSender;
import dev.repartee.a2a.push.PushConfigStore;
import dev.repartee.a2a.push.StoredPushConfig;
import dev.repartee.a2a.types.AgentCapabilities;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentExtension;
import dev.repartee.a2a.types.AgentSkill;
import dev.repartee.a2a.types.ListTasksRequest;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.SendMessageResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.a2a.wire.FieldException;
import dev.repartee.a2a.wire.Operation;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.json.Json;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.http.HttpRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The methods of both versions (sections 3.1 and 9.4). The method decides the version of a request.
 * The header {@code A2A-Version} only has to name a version that the server supports.
 */
final class Operations {
  /**
   * The attribute of a call that contains the name of the client. Absent without authentication.
   */
  static final Attribute<String> CLIENT = Attribute.named("A2A client");

  /** The attribute of a call that contains the {@link System#nanoTime} when its request arrived. */
  static final Attribute<Long> ARRIVAL = Attribute.named("A2A arrival");

  private final Settings settings;
  private final LiveTasks tasks;
  private final Turns turns;
  private final CardPage cards;

  Operations(Settings settings, LiveTasks tasks, Turns turns, CardPage cards) {
    this.settings = settings;
    this.tasks = tasks;
    this.turns = turns;
    this.cards = cards;
  }

  /** Returns a service with all methods. */
  Service service() {
    Service.Builder methods = Service.builder();
    for (ProtocolVersion version : ProtocolVersion.values()) {
      A2aJson codec = A2aJson.strict(version);
      for (Operation operation : Operation.values()) {
        String name = operation.method(version);
        if (name != null) {
          methods.method(name, call -> handle(operation, codec, call));
        }
      }
    }
    return methods.build().described(settings.card().name(), settings.card().version());
  }

  private @Nullable Object handle(Operation operation, A2aJson codec, Call call) {
    requireVersion(call);
    try {
      return switch (operation) {
        case SEND_MESSAGE -> send(codec, call);
        case SEND_STREAMING_MESSAGE -> stream(codec, call);
        case GET_TASK -> get(codec, call);
        case LIST_TASKS -> list(codec, call);
        case CANCEL_TASK -> cancel(codec, call);
        case SUBSCRIBE_TO_TASK -> subscribe(codec, call);
        case CREATE_PUSH_CONFIG -> createConfig(codec, call);
        case GET_PUSH_CONFIG -> getConfig(codec, call);
        case LIST_PUSH_CONFIGS -> listConfigs(codec, call);
        case DELETE_PUSH_CONFIG -> deleteConfig(codec, call);
        case GET_EXTENDED_CARD -> extendedCard(codec, call);
      };
    } catch (FieldException e) {
      throw Errors.invalid(e.field(), e.description());
    }
  }

  private static void requireVersion(Call call) {
    String header = call.header(ProtocolVersion.HEADER);
    String version = header == null
        ? HttpRequest.parameter(call.attributes().get(HttpRequest.QUERY), "A2A-Version")
        : header;
    if (version != null && !version.isBlank() && ProtocolVersion.of(version.strip()) == null) {
      throw Errors.versionNotSupported(version.strip());
    }
  }

  private AgentCapabilities capabilities() {
    return settings.card().capabilities();
  }

  private static @Nullable String client(Call call) {
    return call.attributes().get(CLIENT);
  }

  private static Client sender(Call call) {
    return Client.of(client(call), call.channel().remote());
  }

  // ---------------------------------------------------------------- messages

  private SendMessageRequest readSend(A2aJson codec, Call call) {
    SendMessageRequest request = codec.readSend(call.params());
    requireExtensions(call);
    request.message().parts().forEach(this::requireMediaType);
    TaskPushNotificationConfig push = request.configuration().taskPushNotificationConfig();
    if (push != null) {
      requirePush();
      requireTarget(push.url(), "configuration.taskPushNotificationConfig.url");
    }
    return request;
  }

  /** Checks that the client uses all extensions that the card requires (section 3.3.4). */
  private void requireExtensions(Call call) {
    for (AgentExtension extension : capabilities().extensions()) {
      if (extension.required()
          && Stream.of("a2a-extensions", "x-a2a-extensions")
              .map(call::header)
              .filter(Objects::nonNull)
              .flatMap(list -> Arrays.stream(list.split(",")))
              .noneMatch(uri -> uri.strip().equals(extension.uri()))) {
        throw Errors.extensionRequired(extension.uri());
      }
    }
  }

  /** Checks the media type of a part, if present, against the media types of the card. */
  private void requireMediaType(Part part) {
    String type = part.mediaType();
    if (type == null) {
      return;
    }
    AgentCard card = settings.card();
    List<String> accepted = Stream.concat(
            card.defaultInputModes().stream(),
            card.skills().stream().map(AgentSkill::inputModes).flatMap(List::stream))
        .distinct()
        .toList();
    if (!accepted.isEmpty() && accepted.stream().noneMatch(each -> fits(type, each))) {
      throw Errors.contentType(type, accepted);
    }
  }

  private static boolean fits(String type, String range) {
    String bare = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    String wanted = range.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return wanted.equals("*/*")
        || wanted.equals(bare)
        || wanted.endsWith("/*") && bare.startsWith(wanted.substring(0, wanted.length() - 1));
  }

  private PushConfigStore requirePush() {
    if (settings.push() == null) {
      throw Errors.pushNotSupported();
    }
    return settings.push().store();
  }

  /** Checks that an address for push notifications may be used. */
  private void requireTarget(String url, String field) {
    PushSender push = turns.push();
    String fault = push == null ? null : push.fault(url);
    if (fault != null) {
      throw Errors.invalid(field, fault);
    }
  }

  private CompletionStage<Json> send(A2aJson codec, Call call) {
    SendMessageRequest request = readSend(codec, call);
    Turn turn = turns.begin(request, codec.version(), sender(call));
    boolean immediately = request.configuration().returnImmediately();
    if (immediately) {
      try {
        turn.submit();
      } catch (RuntimeException | Error e) {
        turns.drop(turn);
        throw e;
      }
    }
    turns.start(turn, call);
    call.cancellation().onCancel(turn::clientLeft);
    CompletionStage<SendMessageResponse> answer = immediately ? turn.first() : turn.end();
    Integer history = request.configuration().historyLength();
    return answer.thenApply(response -> codec.response(
        response instanceof Task task ? sending(call, task).withHistory(history) : response));
  }

  /** Notifies the agent, and returns the task to send. */
  private Task sending(Call call, Task task) {
    if (!call.cancellation().isCancelled()) { // the client is connected
      turns.sending(task.id(), task.status());
    }
    return task;
  }

  private CompletionStage<Json> stream(A2aJson codec, Call call) {
    StreamReply reply = requireStream(call);
    SendMessageRequest request = readSend(codec, call);
    Turn turn = turns.begin(request, codec.version(), sender(call));
    LiveTask live = turn.live();
    Subscriber subscriber;
    try {
      subscriber = subscriber(codec, call, reply, true);
      if (turn.task() == null) {
        live.add(subscriber);
      } else {
        Integer history = request.configuration().historyLength();
        live.subscribe(subscriber, task -> task.withHistory(history));
      }
    } catch (RuntimeException | Error e) {
      turns.drop(turn);
      throw e;
    }
    turns.start(turn, call);
    call.cancellation().onCancel(turn::clientLeft);
    turn.end().whenComplete((response, failure) -> {
      // Normally the last event has ended the stream already.
      if (failure != null) {
        subscriber.result().completeExceptionally(failure);
      } else {
        if (response instanceof Task task) {
          sending(call, task);
        }
        subscriber.result().complete(codec.response(response));
      }
    });
    return ending(call, live, subscriber);
  }

  /** Returns the response. Throws an exception if it cannot be a stream. */
  private StreamReply requireStream(Call call) {
    if (!Boolean.TRUE.equals(capabilities().streaming())) {
      throw Errors.unsupported("the agent does not support streaming; see its card");
    }
    StreamReply reply = call.attributes().get(StreamReply.KEY);
    if (reply == null || !reply.takesEvents()) {
      throw Errors.unsupported("the header Accept has to list text/event-stream");
    }
    return reply;
  }

  private Subscriber subscriber(
      A2aJson codec, Call call, StreamReply reply, boolean endsWhenInterrupted) {
    Id id = call.id();
    if (id == null) {
      throw new RpcException(RpcError.INVALID_REQUEST, "a stream needs a request with an id");
    }
    return new Subscriber(codec, id, reply, endsWhenInterrupted, turns::sending);
  }

  /** Returns the result of a stream. The end of the connection removes the stream. */
  private static CompletionStage<Json> ending(Call call, LiveTask live, Subscriber subscriber) {
    call.cancellation().onCancel(() -> {
      subscriber.result().cancel(false);
      live.remove(subscriber);
    });
    return subscriber.result();
  }

  // ---------------------------------------------------------------- tasks

  /** Returns the task if it belongs to the client. */
  private StoredTask require(String id, Call call) {
    StoredTask stored = tasks.find(id);
    if (stored == null || !Objects.equals(stored.owner(), client(call))) {
      throw Errors.taskNotFound(id);
    }
    return stored;
  }

  private Json get(A2aJson codec, Call call) {
    A2aJson.TaskParams params = codec.readTaskParams(call.params());
    Task task = sending(call, require(params.id(), call).task());
    return codec.task(task.withHistory(params.historyLength()));
  }

  private Json list(A2aJson codec, Call call) {
    ListTasksRequest request = codec.readList(call.params());
    Integer size = request.pageSize();
    ListTasksResponse page;
    try {
      page = settings
          .store()
          .list(new TaskStore.Query(
              client(call),
              request.contextId(),
              request.status(),
              request.statusTimestampAfter(),
              size == null ? TaskStore.PAGE : size,
              request.pageToken()));
    } catch (IllegalArgumentException e) {
      throw Errors.invalid("pageToken", "is not a token of this server; begin with the first page");
    }
    List<Task> shown = page.tasks().stream()
        .map(task -> sending(call, task).withHistory(request.historyLength()))
        .map(task ->
            Boolean.TRUE.equals(request.includeArtifacts()) ? task : task.withArtifacts(List.of()))
        .toList();
    return codec.page(page.withTasks(shown));
  }

  private Json cancel(A2aJson codec, Call call) {
    String id = codec.readTaskParams(call.params()).id();
    require(id, call);
    LiveTask live = tasks.use(id);
    try {
      Client cause = sender(call);
      return codec.task(live.cancel((event, stored) -> turns.published(event, stored, cause)));
    } finally {
      tasks.release(live);
    }
  }

  private static Task requireOpen(Task task) {
    if (task.state().isTerminal()) {
      throw Errors.unsupported("the task has ended; get it instead");
    }
    return task;
  }

  private CompletionStage<Json> subscribe(A2aJson codec, Call call) {
    StreamReply reply = requireStream(call);
    String id = codec.readTaskParams(call.params()).id();
    require(id, call);
    LiveTask live = tasks.use(id);
    boolean subscribed = false;
    try {
      Subscriber subscriber =
          subscriber(codec, call, reply, codec.version() == ProtocolVersion.V0_3);
      live.subscribe(subscriber, Operations::requireOpen);
      subscribed = true;
      subscriber.result().whenComplete((last, failure) -> tasks.release(live));
      return ending(call, live, subscriber);
    } finally {
      if (!subscribed) {
        tasks.release(live);
      }
    }
  }

  // ---------------------------------------------------------------- push notifications

  private Json createConfig(A2aJson codec, Call call) {
    PushConfigStore store = requirePush();
    TaskPushNotificationConfig config = codec.readConfig(call.params());
    String taskId = Objects.requireNonNull(config.taskId());
    require(taskId, call);
    requireTarget(config.url(), "url");
    StoredPushConfig stored = Turns.stored(config, taskId, codec.version(), sender(call));
    store.save(stored);
    return codec.config(stored.config());
  }

  private Json getConfig(A2aJson codec, Call call) {
    PushConfigStore store = requirePush();
    A2aJson.TaskParams params = codec.readConfigId(call.params(), true);
    require(params.id(), call);
    String id = params.configId();
    return store.list(params.id()).stream()
        .filter(each -> id == null || each.id().equals(id))
        .findFirst()
        .map(each -> codec.config(each.config()))
        .orElseThrow(() -> Errors.taskNotFound(params.id()));
  }

  private Json listConfigs(A2aJson codec, Call call) {
    PushConfigStore store = requirePush();
    String taskId = codec.readConfigList(call.params());
    require(taskId, call);
    return codec.configs(
        store.list(taskId).stream().map(StoredPushConfig::config).toList());
  }

  private Json deleteConfig(A2aJson codec, Call call) {
    PushConfigStore store = requirePush();
    A2aJson.TaskParams params = codec.readConfigId(call.params(), false);
    require(params.id(), call);
    store.delete(params.id(), Objects.requireNonNull(params.configId()));
    return codec.version() == ProtocolVersion.V0_3 ? Json.NULL : Json.EMPTY_OBJECT;
  }

  // ---------------------------------------------------------------- the card

  private Json extendedCard(A2aJson codec, Call call) {
    if (!Boolean.TRUE.equals(capabilities().extendedAgentCard())) {
      if (codec.version() == ProtocolVersion.V0_3) {
        throw Errors.extendedCardNotConfigured();
      }
      throw Errors.unsupported("the agent does not offer an extended card; see its card");
    }
    AgentCard card = settings.extendedCard();
    if (card == null) {
      throw Errors.extendedCardNotConfigured();
    }
    return codec.card(cards.withInterfaces(card, call));
  }
}
