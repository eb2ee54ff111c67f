package dev.repartee.a2a.wire;

import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.ListTasksRequest;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.Role;
import dev.repartee.a2a.types.SecurityRequirement;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.SendMessageResponse;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes params and results in the JSON of version 1.0: ProtoJSON of {@code a2a.proto}.
 * {@link OldJson} overrides the parts with another form in version 0.3. Immutable.
 */
public class A2aJson extends ProtoJson {
  private final boolean strict;

  /**
   * Creates a codec.
   *
   * @param strict whether a missing required member is an error. True for a server; a client uses
   *     the default values of ProtoJSON
   */
  A2aJson(boolean strict) {
    this.strict = strict;
  }

  /** Returns the codec of a version for a server. */
  public static A2aJson strict(ProtocolVersion version) {
    return version == ProtocolVersion.V1_0 ? new A2aJson(true) : new OldJson(true);
  }

  /** Returns the codec of a version for a client. */
  public static A2aJson lenient(ProtocolVersion version) {
    return version == ProtocolVersion.V1_0 ? new A2aJson(false) : new OldJson(false);
  }

  /** Returns the version. */
  public ProtocolVersion version() {
    return ProtocolVersion.V1_0;
  }

  final Members members(String path, @Nullable Json value) {
    return Members.of(path, value, strict);
  }

  // ---------------------------------------------------------------- cards

  /** Writes a card. */
  public final Json card(AgentCard card) {
    return writeAgentCard(card).build();
  }

  /**
   * Writes a card that clients of both versions can read. The members of the two versions do not
   * contradict each other.
   */
  public static Json cardOfBoth(AgentCard card) {
    return merged(new A2aJson(false).card(card), new OldJson(false).card(card));
  }

  private static Json merged(Json one, Json other) {
    if (one.kind() == Json.Kind.OBJECT && other.kind() == Json.Kind.OBJECT) {
      Map<String, Json> all = one.members();
      other.members().forEach((name, value) -> all.merge(name, value, A2aJson::merged));
      return Json.of(all);
    } else if (one.kind() == Json.Kind.ARRAY && other.kind() == Json.Kind.ARRAY) {
      List<Json> all = one.elements();
      List<Json> more = other.elements();
      for (int i = 0; i < Math.min(all.size(), more.size()); i++) {
        all.set(i, merged(all.get(i), more.get(i)));
      }
      return Json.of(all);
    }
    return one;
  }

  /** Reads a card of version 1.0 or 0.3, or of both. Missing members are empty. */
  public static AgentCard readCard(Json card) {
    OldJson codec = new OldJson(false);
    return codec.readAgentCard(codec.members("card", card));
  }

  @Override
  SecurityRequirement readSecurityRequirement(Members in) {
    return new SecurityRequirement(in.map("schemes", list -> list.stringList("list")));
  }

  @Override
  JsonObjectBuilder writeSecurityRequirement(SecurityRequirement requirement) {
    Map<String, Json> schemes = new LinkedHashMap<>();
    requirement
        .schemes()
        .forEach((name, scopes) -> schemes.put(
            name, new JsonObjectBuilder().putUnlessEmpty("list", scopes).build()));
    return new JsonObjectBuilder().put("schemes", schemes);
  }

  // ---------------------------------------------------------------- results and events

  /** Writes the result of sending a message. */
  public final Json response(SendMessageResponse response) {
    return event(response, true);
  }

  /**
   * Writes an event of a stream.
   *
   * @param last whether the event ends the stream; status events of version 0.3 have the member
   *     {@code final}
   */
  public Json event(StreamResponse event, boolean last) {
    return writeStreamResponse(event).build();
  }

  /** Reads the result of sending a message. */
  public final SendMessageResponse readResponse(Json result) {
    if (readEvent(result) instanceof SendMessageResponse response) {
      return response;
    }
    throw new FieldException("result", "has to be a task or a message");
  }

  /** Reads an event of a stream. */
  public final StreamResponse readEvent(Json event) {
    StreamResponse read = readStreamResponse(members("result", event));
    if (read == null) {
      throw new FieldException(
          "result", "has to be a task, a message, a status update or an artifact update");
    }
    return read;
  }

  /** Writes a task. */
  public final Json task(Task task) {
    return writeTask(task).build();
  }

  /** Reads a task. */
  public final Task readTask(Json task) {
    return readTask(members("result", task));
  }

  @Override
  final TaskState readTaskState(Members in, String name) {
    TaskState state = Names.state(in.string(name), version());
    if (state == null && strict) {
      throw in.invalid(name, "has to be the name of a state, such as TASK_STATE_WORKING");
    }
    return state == null ? TaskState.UNSPECIFIED : state;
  }

  @Override
  final String writeTaskState(TaskState state) {
    return Names.of(state, version());
  }

  // ---------------------------------------------------------------- messages

  @Override
  final Role readRole(Members in, String name) {
    Role role = Names.role(in.string(name), version());
    if (role == null && strict) {
      throw in.invalid(name, "has to be " + Names.of(Role.USER, version()));
    }
    return role == null ? Role.UNSPECIFIED : role;
  }

  @Override
  final String writeRole(Role role) {
    return Names.of(role, version());
  }

  @Override
  Part readPart(Members in) {
    Json metadata = in.object("metadata");
    String filename = in.given("filename");
    String mediaType = in.given("mediaType");
    if (List.of("text", "raw", "url", "data").stream().filter(in::has).count() != 1) {
      throw in.invalid("text", "a part needs exactly one of text, raw, url and data");
    }
    String text = in.optionalString("text");
    if (text != null) {
      return new Part.Text(text, metadata, filename, mediaType);
    } else if (in.has("raw")) {
      return new Part.Raw(in.bytes("raw"), metadata, filename, mediaType);
    } else if (in.has("url")) {
      return new Part.Url(in.string("url"), metadata, filename, mediaType);
    }
    Json data = in.get("data");
    return new Part.Data(data == null ? Json.NULL : data, metadata, filename, mediaType);
  }

  @Override
  JsonObjectBuilder writePart(Part part) {
    JsonObjectBuilder out = new JsonObjectBuilder();
    if (part instanceof Part.Text text) {
      out.put("text", text.text());
    } else if (part instanceof Part.Raw file) {
      out.put("raw", base64(file));
    } else if (part instanceof Part.Url file) {
      out.put("url", file.url());
    } else {
      out.put("data", ((Part.Data) part).data());
    }
    return out.put("metadata", part.metadata())
        .put("filename", part.filename())
        .put("mediaType", part.mediaType());
  }

  static String base64(Part.Raw file) {
    return Base64.getEncoder().encodeToString(file.raw());
  }

  // ---------------------------------------------------------------- requests

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

  /** Reads the params that send a message. */
  public final SendMessageRequest readSend(@Nullable Json params) {
    return readSendMessageRequest(members("", params));
  }

  /** Writes the params that send a message. */
  public final Json send(SendMessageRequest request) {
    return writeSendMessageRequest(request).build();
  }

  /** Reads the params of a request about one task. */
  public final TaskParams readTaskParams(@Nullable Json params) {
    Members in = members("", params);
    return new TaskParams(in.string("id"), null, in.count("historyLength"));
  }

  /** Writes the params of a request about one task. */
  public Json taskParams(String id, @Nullable String tenant, @Nullable Integer historyLength) {
    return new JsonObjectBuilder()
        .put("tenant", tenant)
        .put("id", id)
        .put("historyLength", historyLength)
        .build();
  }

  /** Reads the params of a request for tasks. */
  public final ListTasksRequest readList(@Nullable Json params) {
    Members in = members("", params);
    ListTasksRequest request = readListTasksRequest(in);
    Integer pageSize = request.pageSize();
    if (pageSize != null && (pageSize < 1 || pageSize > 100)) {
      throw in.invalid("pageSize", "has to be between 1 and 100");
    }
    return request.status() == TaskState.UNSPECIFIED ? request.withStatus(null) : request;
  }

  /** Writes the params of a request for tasks. */
  public final Json list(ListTasksRequest request) {
    return writeListTasksRequest(request).build();
  }

  /** Writes a page of tasks. */
  public final Json page(ListTasksResponse page) {
    return writeListTasksResponse(page).build();
  }

  /** Reads a page of tasks. */
  public final ListTasksResponse readPage(Json result) {
    Members in = members("result", result);
    ListTasksResponse page = readListTasksResponse(in);
    int all = page.tasks().size();
    return page.withPageSize(in.has("pageSize") ? page.pageSize() : all)
        .withTotalSize(in.has("totalSize") ? page.totalSize() : all);
  }

  // ---------------------------------------------------------------- push notifications

  /** Reads the params that create a configuration. */
  public TaskPushNotificationConfig readConfig(@Nullable Json params) {
    Members in = members("", params);
    return readTaskPushNotificationConfig(in).withTaskId(in.string("taskId"));
  }

  /** Reads a configuration in a result. */
  public TaskPushNotificationConfig readConfigResult(Json result) {
    return readTaskPushNotificationConfig(members("result", result));
  }

  /** Writes a configuration. */
  public Json config(TaskPushNotificationConfig config) {
    return writeTaskPushNotificationConfig(config).build();
  }

  /**
   * Reads the params of a request about a configuration.
   *
   * @param optional whether version 0.3 may omit the id of the configuration
   */
  public TaskParams readConfigId(@Nullable Json params, boolean optional) {
    Members in = members("", params);
    return new TaskParams(in.string("taskId"), in.string("id"), null);
  }

  /**
   * Writes the params of a request about a configuration; {@code id} is null for all
   * configurations.
   */
  public Json configId(String taskId, @Nullable String id) {
    return new JsonObjectBuilder().put("taskId", taskId).put("id", id).build();
  }

  /** Reads the task of a request for all configurations. */
  public String readConfigList(@Nullable Json params) {
    return members("", params).string("taskId");
  }

  /** Writes all configurations of a task. */
  public Json configs(List<TaskPushNotificationConfig> configs) {
    return Json.of(Map.of("configs", configs.stream().map(this::config).toList()));
  }

  /** Reads all configurations of a task. */
  public List<TaskPushNotificationConfig> readConfigs(Json result) {
    return members("result", result).list("configs", this::readTaskPushNotificationConfig);
  }
}
