package dev.repartee.a2a.wire;

import static dev.repartee.a2a.wire.ProtocolVersion.V0_3;
import static dev.repartee.a2a.wire.ProtocolVersion.V1_0;

import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.Role;
import dev.repartee.a2a.types.SendMessageResponse;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskArtifactUpdateEvent;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes messages, tasks and events in the JSON of one version: ProtoJSON of {@code
 * a2a.proto} for 1.0, the schema {@code a2a.json} for 0.3.
 *
 * @param version the version
 * @param strict whether a missing required member is an error, as for a server. A client uses the
 *     default values of ProtoJSON
 */
public record MessageCodec(ProtocolVersion version, boolean strict) {
  /** The form of timestamps (section 5.6.1). */
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  /** The member that wraps data in an object for version 0.3, since its data are objects. */
  private static final String VALUE = "value";

  boolean isOld() {
    return version == V0_3;
  }

  Members members(String path, @Nullable Json value) {
    return Members.of(path, value, strict);
  }

  private JsonObjectBuilder fields(String kind) {
    JsonObjectBuilder fields = new JsonObjectBuilder();
    return isOld() ? fields.put("kind", kind) : fields;
  }

  // ---------------------------------------------------------------- results and events

  /** Writes the result of sending a message. */
  public Json response(SendMessageResponse response) {
    return event(response, true);
  }

  /**
   * Writes an event of a stream.
   *
   * @param last whether the event ends the stream; status events of version 0.3 have the member
   *     {@code final}
   */
  public Json event(StreamResponse event, boolean last) {
    if (event instanceof Task task) {
      return wrapped("task", task(task));
    } else if (event instanceof Message message) {
      return wrapped("message", message(message));
    } else if (event instanceof TaskStatusUpdateEvent update) {
      return wrapped("statusUpdate", statusUpdate(update, last));
    }
    return wrapped("artifactUpdate", artifactUpdate((TaskArtifactUpdateEvent) event));
  }

  private Json wrapped(String name, Json value) {
    return isOld() ? value : new JsonObjectBuilder().put(name, value).build();
  }

  /** Reads the result of sending a message. */
  public SendMessageResponse readResponse(Json result) {
    if (readEvent(result) instanceof SendMessageResponse response) {
      return response;
    }
    throw new FieldException("result", "has to be a task or a message");
  }

  /** Reads an event of a stream. */
  public StreamResponse readEvent(Json event) {
    Members in = members("result", event);
    StreamResponse read = isOld() ? readOld(in) : readNew(in);
    if (read == null) {
      throw new FieldException(
          "result", "has to be a task, a message, a status update or an artifact update");
    }
    return read;
  }

  private @Nullable StreamResponse readOld(Members in) {
    return switch (in.string("kind")) {
      case "task" -> readTask(in);
      case "message" -> readMessage(in);
      case "status-update" -> readStatusUpdate(in);
      case "artifact-update" -> readArtifactUpdate(in);
      default -> null;
    };
  }

  private @Nullable StreamResponse readNew(Members in) {
    if (in.has("task")) {
      return in.required("task", this::readTask);
    } else if (in.has("message")) {
      return in.required("message", this::readMessage);
    } else if (in.has("statusUpdate")) {
      return in.required("statusUpdate", this::readStatusUpdate);
    }
    return in.has("artifactUpdate")
        ? in.required("artifactUpdate", this::readArtifactUpdate)
        : null;
  }

  private Json statusUpdate(TaskStatusUpdateEvent update, boolean last) {
    return fields("status-update")
        .put("taskId", update.taskId())
        .put("contextId", update.contextId())
        .put("status", status(update.status()))
        .put("final", isOld() ? last : null)
        .put("metadata", update.metadata())
        .build();
  }

  private TaskStatusUpdateEvent readStatusUpdate(Members in) {
    return new TaskStatusUpdateEvent(
        in.string("taskId"),
        in.given("contextId"),
        in.required("status", this::readStatus),
        in.object("metadata"));
  }

  private Json artifactUpdate(TaskArtifactUpdateEvent update) {
    return fields("artifact-update")
        .put("taskId", update.taskId())
        .put("contextId", update.contextId())
        .put("artifact", artifact(update.artifact()))
        .flag("append", update.append())
        .flag("lastChunk", update.lastChunk())
        .put("metadata", update.metadata())
        .build();
  }

  private TaskArtifactUpdateEvent readArtifactUpdate(Members in) {
    return new TaskArtifactUpdateEvent(
        in.string("taskId"),
        in.given("contextId"),
        in.required("artifact", this::readArtifact),
        in.flag("append"),
        in.flag("lastChunk"),
        in.object("metadata"));
  }

  // ---------------------------------------------------------------- tasks

  /** Writes a task. */
  public Json task(Task task) {
    return fields("task")
        .put("id", task.id())
        .put("contextId", task.contextId() == null && isOld() ? "" : task.contextId())
        .put("status", status(task.status()))
        .putUnlessEmpty(
            "artifacts", task.artifacts().stream().map(this::artifact).toList())
        .putUnlessEmpty("history", task.history().stream().map(this::message).toList())
        .put("metadata", task.metadata())
        .build();
  }

  /** Reads a task. */
  public Task readTask(Json task) {
    return readTask(members("result", task));
  }

  Task readTask(Members in) {
    return new Task(
        in.string("id"),
        in.given("contextId"),
        in.required("status", this::readStatus),
        in.list("artifacts", this::readArtifact),
        in.list("history", this::readMessage),
        in.object("metadata"));
  }

  private Json status(TaskStatus status) {
    Instant time = status.timestamp();
    return new JsonObjectBuilder()
        .put("state", Names.of(status.state(), version))
        .put("message", status.message() == null ? null : message(status.message()))
        .put("timestamp", time == null ? null : text(time))
        .build();
  }

  private TaskStatus readStatus(Members in) {
    TaskState state = Names.state(in.string("state"), version);
    return new TaskStatus(
        state == null ? TaskState.UNSPECIFIED : state,
        in.optional("message", this::readMessage),
        lenientTime(in.given("timestamp")));
  }

  /** Returns a time in the form of the protocol. */
  static String text(Instant time) {
    return TIME.format(time);
  }

  /** Reads a time; null if the peer has written it in another form. */
  private static @Nullable Instant lenientTime(@Nullable String text) {
    try {
      return text == null ? null : time(text);
    } catch (DateTimeException e) {
      return null;
    }
  }

  static Instant time(String text) {
    return DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text, Instant::from);
  }

  private Json artifact(Artifact artifact) {
    return new JsonObjectBuilder()
        .put("artifactId", artifact.artifactId())
        .put("name", artifact.name())
        .put("description", artifact.description())
        .put("parts", parts(artifact.parts()))
        .put("metadata", artifact.metadata())
        .putUnlessEmpty("extensions", artifact.extensions())
        .build();
  }

  private Artifact readArtifact(Members in) {
    return new Artifact(
        in.string("artifactId"),
        in.given("name"),
        in.given("description"),
        in.list("parts", this::readPart),
        in.object("metadata"),
        in.strings("extensions"));
  }

  // ---------------------------------------------------------------- messages

  /** Writes a message. */
  public Json message(Message message) {
    return fields("message")
        .put("messageId", message.messageId())
        .put("contextId", message.contextId())
        .put("taskId", message.taskId())
        .put("role", Names.of(message.role(), version))
        .put("parts", parts(message.parts()))
        .put("metadata", message.metadata())
        .putUnlessEmpty("extensions", message.extensions())
        .putUnlessEmpty("referenceTaskIds", message.referenceTaskIds())
        .build();
  }

  Message readMessage(Members in) {
    String name = in.string("role");
    Role role = Names.role(name, version);
    if (strict && role == null) {
      throw in.unfit("role", "has to be " + Names.of(Role.USER, version));
    }
    List<Part> parts = in.list("parts", this::readPart);
    if (strict && parts.isEmpty()) {
      throw in.unfit("parts", "needs at least one part");
    }
    return new Message(
        in.string("messageId"),
        in.given("contextId"),
        in.given("taskId"),
        role == null ? Role.UNSPECIFIED : role,
        parts,
        in.object("metadata"),
        in.strings("extensions"),
        in.strings("referenceTaskIds"));
  }

  private List<Json> parts(List<Part> parts) {
    return parts.stream()
        .map(version == V1_0 ? MessageCodec::newPart : MessageCodec::oldPart)
        .toList();
  }

  private static Json newPart(Part part) {
    JsonObjectBuilder out = new JsonObjectBuilder();
    if (part instanceof Part.Text text) {
      out.put("text", text.text());
    } else if (part instanceof Part.Raw file) {
      out.put("raw", Base64.getEncoder().encodeToString(file.raw()));
    } else if (part instanceof Part.Url file) {
      out.put("url", file.url());
    } else {
      out.put("data", ((Part.Data) part).data());
    }
    return out.put("metadata", part.metadata())
        .put("filename", part.filename())
        .put("mediaType", part.mediaType())
        .build();
  }

  private static Json oldPart(Part part) {
    JsonObjectBuilder out = new JsonObjectBuilder();
    if (part instanceof Part.Text text) {
      out.put("kind", "text").put("text", text.text());
    } else if (part instanceof Part.Raw file) {
      String content = Base64.getEncoder().encodeToString(file.raw());
      out.put("kind", "file").put("file", oldFile(file).put("bytes", content).build());
    } else if (part instanceof Part.Url file) {
      out.put("kind", "file").put("file", oldFile(file).put("uri", file.url()).build());
    } else {
      Json data = ((Part.Data) part).data();
      boolean isObject = data.kind() == Json.Kind.OBJECT;
      out.put("kind", "data")
          .put(
              "data", isObject ? data : new JsonObjectBuilder().put(VALUE, data).build());
    }
    return out.put("metadata", part.metadata()).build();
  }

  private static JsonObjectBuilder oldFile(Part part) {
    return new JsonObjectBuilder().put("name", part.filename()).put("mimeType", part.mediaType());
  }

  private Part readPart(Members in) {
    return isOld() ? readOldPart(in) : readNewPart(in);
  }

  private static Part readNewPart(Members in) {
    Json metadata = in.object("metadata");
    String filename = in.given("filename");
    String mediaType = in.given("mediaType");
    if (List.of("text", "raw", "url", "data").stream().filter(in::has).count() != 1) {
      throw in.unfit("text", "a part needs exactly one of text, raw, url and data");
    }
    String text = in.has("text") ? in.optional("text") : null;
    if (text != null) {
      return new Part.Text(text, metadata, filename, mediaType);
    } else if (in.has("raw")) {
      return new Part.Raw(bytes(in, "raw"), metadata, filename, mediaType);
    } else if (in.has("url")) {
      return new Part.Url(in.string("url"), metadata, filename, mediaType);
    }
    Json data = in.any("data");
    return new Part.Data(data == null ? Json.NULL : data, metadata, filename, mediaType);
  }

  private static Part readOldPart(Members in) {
    Json metadata = in.object("metadata");
    String kind = in.optional("kind");
    switch (kind == null ? "" : kind) {
      case "text":
        String text = in.optional("text");
        if (text == null) {
          throw in.unfit("text", "is missing");
        }
        return new Part.Text(text, metadata, null, null);
      case "file":
        return in.required("file", file -> readFile(file, metadata));
      case "data":
        Json data = in.object("data");
        if (data == null) {
          throw in.unfit("data", "is missing");
        }
        return new Part.Data(data, metadata, null, null);
      default:
        throw in.unfit("kind", "has to be text, file or data");
    }
  }

  private static Part readFile(Members in, @Nullable Json metadata) {
    String name = in.given("name");
    String mediaType = in.given("mimeType");
    if (in.has("bytes")) {
      return new Part.Raw(bytes(in, "bytes"), metadata, name, mediaType);
    }
    String uri = in.given("uri");
    if (uri == null) {
      throw in.unfit("uri", "a file needs bytes or uri");
    }
    return new Part.Url(uri, metadata, name, mediaType);
  }

  /** Reads Base64 with either alphabet, as ProtoJSON demands. */
  private static byte[] bytes(Members in, String name) {
    String text = in.optional(name);
    try {
      return Base64.getDecoder()
          .decode((text == null ? "" : text).replace('-', '+').replace('_', '/'));
    } catch (IllegalArgumentException e) {
      throw in.unfit(name, "has to be a string in Base64");
    }
  }
}
