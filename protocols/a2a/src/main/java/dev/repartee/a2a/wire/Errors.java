package dev.repartee.a2a.wire;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.message.RpcError;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The errors of A2A (sections 3.3.2, 5.4 and 9.5). */
public final class Errors {
  public static final int TASK_NOT_FOUND = -32001;
  public static final int TASK_NOT_CANCELABLE = -32002;
  public static final int PUSH_NOTIFICATION_NOT_SUPPORTED = -32003;
  public static final int UNSUPPORTED_OPERATION = -32004;
  public static final int CONTENT_TYPE_NOT_SUPPORTED = -32005;
  public static final int INVALID_AGENT_RESPONSE = -32006;
  public static final int EXTENDED_CARD_NOT_CONFIGURED = -32007;
  public static final int EXTENSION_SUPPORT_REQUIRED = -32008;
  public static final int VERSION_NOT_SUPPORTED = -32009;

  /** The code for limits of this server. A2A reserves the codes from -32099 to -32001. */
  public static final int BUSY = -32000;

  private static final String ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
  private static final String BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest";
  private static final String DOMAIN = "a2a-protocol.org";

  private Errors() {}

  public static RpcException taskNotFound(String id) {
    return exception(TASK_NOT_FOUND, "Task not found", "TASK_NOT_FOUND", Map.of("taskId", id));
  }

  public static RpcException taskNotCancelable(String id) {
    return exception(
        TASK_NOT_CANCELABLE,
        "Task cannot be canceled, since it has ended",
        "TASK_NOT_CANCELABLE",
        Map.of("taskId", id));
  }

  public static RpcException pushNotSupported() {
    return exception(
        PUSH_NOTIFICATION_NOT_SUPPORTED,
        "Push Notification is not supported",
        "PUSH_NOTIFICATION_NOT_SUPPORTED",
        Map.of());
  }

  /**
   * Returns the error of an unsupported operation. The detail names the operation and the remedy.
   */
  public static RpcException unsupported(String detail) {
    return exception(
        UNSUPPORTED_OPERATION,
        "This operation is not supported: " + detail,
        "UNSUPPORTED_OPERATION",
        Map.of());
  }

  public static RpcException contentType(String mediaType, List<String> supported) {
    return exception(
        CONTENT_TYPE_NOT_SUPPORTED,
        "Incompatible content types",
        "CONTENT_TYPE_NOT_SUPPORTED",
        Map.of("mediaType", mediaType, "supported", String.join(", ", supported)));
  }

  public static RpcException extendedCardNotConfigured() {
    return exception(
        EXTENDED_CARD_NOT_CONFIGURED,
        "Extended agent card is not configured",
        "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
        Map.of());
  }

  public static RpcException extensionRequired(String uri) {
    return exception(
        EXTENSION_SUPPORT_REQUIRED,
        "The header A2A-Extensions has to list a required extension",
        "EXTENSION_SUPPORT_REQUIRED",
        Map.of("extension", uri));
  }

  public static RpcException versionNotSupported(String version) {
    return exception(
        VERSION_NOT_SUPPORTED,
        "Protocol version is not supported; send 1.0 or 0.3 in the header A2A-Version",
        "VERSION_NOT_SUPPORTED",
        Map.of("requestedVersion", version, "supportedVersions", "1.0, 0.3"));
  }

  public static RpcException busy(String limit, long max) {
    return new RpcException(busyError(limit, max));
  }

  static RpcError busyError(String limit, long max) {
    return error(
        BUSY,
        "Busy; try again later",
        "RESOURCE_EXHAUSTED",
        Map.of("limit", limit, "max", Long.toString(max)));
  }

  static RpcError deadlinePassed(long millis) {
    return error(
        RpcError.INTERNAL_ERROR,
        "Deadline passed; ask for less",
        "DEADLINE_EXCEEDED",
        Map.of("limit", "handlerTimeout", "max", Long.toString(millis)));
  }

  /**
   * Returns the error of params with a wrong field. The ErrorInfo is the first detail and also
   * names the field, because the SDK for Python reads only the metadata of the first ErrorInfo.
   */
  public static RpcException invalid(String field, String description) {
    Map<String, String> violation = Map.of("field", field, "description", description);
    return new RpcException(
        RpcError.INVALID_PARAMS,
        "Invalid parameters",
        List.of(
            info("INVALID_PARAMS", violation),
            new JsonObjectBuilder()
                .put("@type", BAD_REQUEST)
                .put("fieldViolations", List.of(violation))
                .build()));
  }

  private static RpcException exception(
      int code, String message, String reason, Map<String, String> metadata) {
    return new RpcException(error(code, message, reason, metadata));
  }

  private static RpcError error(
      int code, String message, String reason, Map<String, String> metadata) {
    return new RpcError(code, message, Json.of(List.of(info(reason, metadata))));
  }

  private static Json info(String reason, Map<String, String> metadata) {
    return new JsonObjectBuilder()
        .put("@type", ERROR_INFO)
        .put("reason", reason)
        .put("domain", DOMAIN)
        .put("metadata", metadata.isEmpty() ? null : metadata)
        .build();
  }

  /** Returns an error of the engine with the message and the form of details of A2A. */
  static RpcError standard(RpcError error) {
    Json data = error.data();
    if (data != null && data.kind() == Json.Kind.ARRAY) {
      return error;
    }
    String detail = data == null ? null : data.text();
    return switch (error.code()) {
      case RpcError.PARSE_ERROR ->
        standard(error.code(), "Invalid JSON payload", "JSON_PARSE", detail);
      case RpcError.INVALID_REQUEST ->
        standard(error.code(), "Request payload validation error", "INVALID_REQUEST", detail);
      case RpcError.METHOD_NOT_FOUND ->
        standard(error.code(), "Method not found", "METHOD_NOT_FOUND", detail);
      case RpcError.INVALID_PARAMS ->
        standard(error.code(), "Invalid parameters", "INVALID_PARAMS", detail);
      default -> standard(error.code(), error.message(), "INTERNAL", detail);
    };
  }

  private static RpcError standard(
      int code, String message, String reason, @Nullable String detail) {
    return error(code, message, reason, detail == null ? Map.of() : Map.of("detail", detail));
  }
}
