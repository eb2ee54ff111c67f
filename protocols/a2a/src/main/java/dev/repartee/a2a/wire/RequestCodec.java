package dev.repartee.a2a.wire;

import static dev.repartee.a2a.wire.ProtocolVersion.V0_3;

import dev.repartee.a2a.types.AuthenticationInfo;
import dev.repartee.a2a.types.ListTasksRequest;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.SendMessageConfiguration;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the params of requests, and the results other than messages and tasks.
 *
 * @param messages the codec of messages, with the version
 */
public record RequestCodec(MessageCodec messages) {
  /**
   * The params of a request about one task.
   *
   * @param id the task
   * @param configId the push notification configuration; null if the request has none. Version 0.3
   *     may omit it
   * @param historyLength the maximum number of messages in the history; null for all
   */
  public record TaskParams(
      String id, @Nullable String configId, @Nullable Integer historyLength) {}

  /** Returns the codec of a version for a server. */
  public static RequestCodec strict(ProtocolVersion version) {
    return new RequestCodec(new MessageCodec(version, true));
  }

  /** Returns the codec of a version for a client. */
  public static RequestCodec lenient(ProtocolVersion version) {
    return new RequestCodec(new MessageCodec(version, false));
  }

  /** Returns the version. */
  public ProtocolVersion version() {
    return messages.version();
  }

  private boolean isOld() {
    return messages.version() == V0_3;
  }

  // ---------------------------------------------------------------- sending

  /** Reads the params that send a message. */
  public SendMessageRequest readSend(@Nullable Json params) {
    Members in = messages.members("", params);
    SendMessageConfiguration configuration = in.optional("configuration", this::readConfiguration);
    return new SendMessageRequest(
        in.given("tenant"),
        in.required("message", messages::readMessage),
        configuration == null ? SendMessageConfiguration.NONE : configuration,
        in.object("metadata"));
  }

  private SendMessageConfiguration readConfiguration(Members in) {
    boolean immediately =
        isOld() ? Boolean.FALSE.equals(in.optionalFlag("blocking")) : in.flag("returnImmediately");
    return new SendMessageConfiguration(
        in.strings("acceptedOutputModes"),
        isOld()
            ? in.optional("pushNotificationConfig", config -> readOldConfig(config, null))
            : in.optional("taskPushNotificationConfig", RequestCodec::readNewConfig),
        in.count("historyLength"),
        immediately);
  }

  /** Writes the params that send a message. */
  public Json send(SendMessageRequest request) {
    SendMessageConfiguration wishes = request.configuration();
    TaskPushNotificationConfig push = wishes.taskPushNotificationConfig();
    JsonObjectBuilder configuration = new JsonObjectBuilder()
        .putUnlessEmpty("acceptedOutputModes", wishes.acceptedOutputModes())
        .put("historyLength", wishes.historyLength());
    if (isOld()) {
      configuration
          .put("blocking", !wishes.returnImmediately())
          .put("pushNotificationConfig", push == null ? null : oldConfig(push));
    } else {
      configuration
          .flag("returnImmediately", wishes.returnImmediately())
          .put("taskPushNotificationConfig", push == null ? null : newConfig(push));
    }
    return new JsonObjectBuilder()
        .put("tenant", isOld() ? null : request.tenant())
        .put("message", messages.message(request.message()))
        .put("configuration", configuration.build())
        .put("metadata", request.metadata())
        .build();
  }

  // ---------------------------------------------------------------- tasks

  /** Reads the params of a request about one task. */
  public TaskParams readTask(@Nullable Json params) {
    Members in = messages.members("", params);
    return new TaskParams(in.string("id"), null, in.count("historyLength"));
  }

  /** Writes the params of a request about one task. */
  public Json task(String id, @Nullable String tenant, @Nullable Integer historyLength) {
    return new JsonObjectBuilder()
        .put("tenant", isOld() ? null : tenant)
        .put("id", id)
        .put("historyLength", historyLength)
        .build();
  }

  /** Reads the params of a request for tasks. */
  public ListTasksRequest readList(@Nullable Json params) {
    Members in = messages.members("", params);
    Integer pageSize = in.count("pageSize");
    if (pageSize != null && (pageSize < 1 || pageSize > 100)) {
      throw in.unfit("pageSize", "has to be between 1 and 100");
    }
    return new ListTasksRequest(
        in.given("tenant"),
        in.given("contextId"),
        readState(in),
        pageSize,
        in.given("pageToken"),
        in.count("historyLength"),
        readTime(in),
        in.flag("includeArtifacts"));
  }

  private @Nullable TaskState readState(Members in) {
    String name = in.given("status");
    if (name == null) {
      return null;
    }
    TaskState state = Names.state(name, version());
    if (state == null) {
      throw in.unfit("status", "has to be the name of a state, such as TASK_STATE_WORKING");
    }
    return state == TaskState.UNSPECIFIED ? null : state;
  }

  private static @Nullable Instant readTime(Members in) {
    String text = in.given("statusTimestampAfter");
    try {
      return text == null ? null : MessageCodec.time(text);
    } catch (DateTimeException e) {
      throw in.unfit("statusTimestampAfter", "has to be a time such as 2025-10-28T10:30:00.000Z");
    }
  }

  /** Writes the params of a request for tasks. */
  public Json list(ListTasksRequest request) {
    TaskState state = request.status();
    Instant after = request.statusTimestampAfter();
    return new JsonObjectBuilder()
        .put("tenant", request.tenant())
        .put("contextId", request.contextId())
        .put("status", state == null ? null : Names.of(state, version()))
        .put("pageSize", request.pageSize())
        .put("pageToken", request.pageToken())
        .put("historyLength", request.historyLength())
        .put("statusTimestampAfter", after == null ? null : MessageCodec.text(after))
        .flag("includeArtifacts", request.includeArtifacts())
        .build();
  }

  /** Writes a page of tasks. */
  public Json page(ListTasksResponse page) {
    return new JsonObjectBuilder()
        .put("tasks", page.tasks().stream().map(messages::task).toList())
        .put("nextPageToken", page.nextPageToken())
        .put("pageSize", page.pageSize())
        .put("totalSize", page.totalSize())
        .build();
  }

  /** Reads a page of tasks. */
  public ListTasksResponse readPage(Json result) {
    Members in = messages.members("result", result);
    String next = in.optional("nextPageToken");
    Integer pageSize = in.count("pageSize");
    Integer totalSize = in.count("totalSize");
    List<Task> tasks = in.list("tasks", messages::readTask);
    return new ListTasksResponse(
        tasks,
        next == null ? "" : next,
        pageSize == null ? tasks.size() : pageSize,
        totalSize == null ? tasks.size() : totalSize);
  }

  // ---------------------------------------------------------------- push notifications

  /** Reads the params that create a configuration. */
  public TaskPushNotificationConfig readConfig(@Nullable Json params) {
    Members in = messages.members("", params);
    if (isOld()) {
      return readOldTaskConfig(in);
    }
    TaskPushNotificationConfig config = readNewConfig(in);
    return config.of(in.string("taskId"), config.id());
  }

  /** Reads a configuration in a result. */
  public TaskPushNotificationConfig readConfigResult(Json result) {
    Members in = messages.members("result", result);
    return isOld() ? readOldTaskConfig(in) : readNewConfig(in);
  }

  private static TaskPushNotificationConfig readOldTaskConfig(Members in) {
    String taskId = in.string("taskId");
    return in.required("pushNotificationConfig", config -> readOldConfig(config, taskId));
  }

  private static TaskPushNotificationConfig readOldConfig(Members in, @Nullable String taskId) {
    return new TaskPushNotificationConfig(
        null,
        in.given("id"),
        taskId,
        in.string("url"),
        in.given("token"),
        in.optional("authentication", RequestCodec::readOldAuthentication));
  }

  private static AuthenticationInfo readOldAuthentication(Members in) {
    List<String> schemes = in.strings("schemes");
    if (schemes.isEmpty()) {
      throw in.unfit("schemes", "needs at least one scheme");
    }
    return new AuthenticationInfo(schemes.get(0), in.given("credentials"));
  }

  private static TaskPushNotificationConfig readNewConfig(Members in) {
    return new TaskPushNotificationConfig(
        in.given("tenant"),
        in.given("id"),
        in.given("taskId"),
        in.string("url"),
        in.given("token"),
        in.optional(
            "authentication",
            each -> new AuthenticationInfo(each.string("scheme"), each.given("credentials"))));
  }

  /** Writes a configuration. */
  public Json config(TaskPushNotificationConfig config) {
    return isOld()
        ? new JsonObjectBuilder()
            .put("taskId", config.taskId())
            .put("pushNotificationConfig", oldConfig(config))
            .build()
        : newConfig(config);
  }

  private static Json oldConfig(TaskPushNotificationConfig config) {
    AuthenticationInfo by = config.authentication();
    return new JsonObjectBuilder()
        .put("id", config.id())
        .put("url", config.url())
        .put("token", config.token())
        .put(
            "authentication",
            by == null
                ? null
                : new JsonObjectBuilder()
                    .put("schemes", List.of(by.scheme()))
                    .put("credentials", by.credentials())
                    .build())
        .build();
  }

  private static Json newConfig(TaskPushNotificationConfig config) {
    AuthenticationInfo by = config.authentication();
    return new JsonObjectBuilder()
        .put("tenant", config.tenant())
        .put("id", config.id())
        .put("taskId", config.taskId())
        .put("url", config.url())
        .put("token", config.token())
        .put(
            "authentication",
            by == null
                ? null
                : new JsonObjectBuilder()
                    .put("scheme", by.scheme())
                    .put("credentials", by.credentials())
                    .build())
        .build();
  }

  /**
   * Reads the params of a request about a configuration.
   *
   * @param optional whether version 0.3 may leave out the id of the configuration
   */
  public TaskParams readConfigId(@Nullable Json params, boolean optional) {
    Members in = messages.members("", params);
    if (!isOld()) {
      return new TaskParams(in.string("taskId"), in.string("id"), null);
    }
    String config =
        optional ? in.given("pushNotificationConfigId") : in.string("pushNotificationConfigId");
    return new TaskParams(in.string("id"), config, null);
  }

  /** Writes the params of a request about a configuration; {@code id} is null for all of a task. */
  public Json configId(String taskId, @Nullable String id) {
    return isOld()
        ? new JsonObjectBuilder()
            .put("id", taskId)
            .put("pushNotificationConfigId", id)
            .build()
        : new JsonObjectBuilder().put("taskId", taskId).put("id", id).build();
  }

  /** Reads the task of a request for all configurations. */
  public TaskParams readConfigList(@Nullable Json params) {
    Members in = messages.members("", params);
    return new TaskParams(in.string(isOld() ? "id" : "taskId"), null, null);
  }

  /** Writes all configurations of a task. */
  public Json configs(List<TaskPushNotificationConfig> configs) {
    List<Json> all = configs.stream().map(this::config).toList();
    return isOld() ? Json.of(all) : Json.of(Map.of("configs", all));
  }

  /** Reads all configurations of a task. */
  public List<TaskPushNotificationConfig> readConfigs(Json result) {
    return isOld()
        ? result.elements().stream().map(this::readConfigResult).toList()
        : messages.members("result", result).list("configs", RequestCodec::readNewConfig);
  }
}
