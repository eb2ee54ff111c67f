package dev.repartee.mcp.lsp;

import dev.repartee.json.Json;
import dev.repartee.lsp.types.PositionEncodingKind;
import dev.repartee.lsp.types.Registration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The features that the server has announced: in the answer to {@code initialize}, and later by
 * registrations. Thread-safe.
 */
final class Features {
  /** The maximum number of registrations; a server has one for each method. */
  private static final int MAX_REGISTRATIONS = 1_000;

  private static final int LONGEST_NAME = 500;

  /** The units of positions that a server may choose. */
  static final List<PositionEncodingKind> ENCODINGS =
      List.of(PositionEncodingKind.UTF16, PositionEncodingKind.UTF8, PositionEncodingKind.UTF32);

  private final Map<String, String> registered = new LinkedHashMap<>(); // guarded by this
  private volatile Json capabilities = Json.EMPTY_OBJECT;

  /** Sets the capabilities of the answer to {@code initialize}. */
  void announced(Json capabilities) {
    this.capabilities = capabilities;
  }

  /** Returns false if there are too many registrations, or names that are too long. */
  synchronized boolean register(Registration registration) {
    boolean room = registered.size() < MAX_REGISTRATIONS
        && registration.id().length() <= LONGEST_NAME
        && registration.method().length() <= LONGEST_NAME;
    if (room) {
      registered.put(registration.id(), registration.method());
    }
    return room;
  }

  synchronized void unregister(String id) {
    registered.remove(id);
  }

  /**
   * Whether the server serves a method.
   *
   * @param capability the name of the member that announces it
   */
  boolean has(String capability, String method) {
    return isSet(capabilities.get(capability)) || isRegistered(method);
  }

  private synchronized boolean isRegistered(String method) {
    return registered.containsValue(method);
  }

  /** Returns the unit of positions that the server has chosen; UTF-16 if it is unknown. */
  PositionEncodingKind encoding() {
    Json name = capabilities.get("positionEncoding");
    for (PositionEncodingKind each : ENCODINGS) {
      if (Json.of(each.value()).equals(name)) {
        return each;
      }
    }
    return PositionEncodingKind.UTF16;
  }

  /** Whether the server wants to know the documents that are open. */
  boolean opens() {
    Json sync = sync();
    return isRegistered("textDocument/didOpen")
        || (sync.kind() == Json.Kind.OBJECT ? isSet(sync.get("openClose")) : isSet(sync));
  }

  /** Whether the server wants to know the changes of open documents. */
  boolean syncs() {
    Json sync = sync();
    return isRegistered("textDocument/didChange")
        || isSet(sync.kind() == Json.Kind.OBJECT ? sync.get("change") : sync);
  }

  /** Whether the server wants to know that a document was saved. */
  boolean saves() {
    return isRegistered("textDocument/didSave") || isSet(save());
  }

  /** Whether the server wants the text of a document that was saved. */
  boolean savesText() {
    Json save = save();
    return save != null && save.kind() == Json.Kind.OBJECT && isSet(save.get("includeText"));
  }

  private Json sync() {
    Json sync = capabilities.get("textDocumentSync");
    return sync == null ? Json.NULL : sync;
  }

  private @Nullable Json save() {
    Json sync = sync();
    return sync.kind() == Json.Kind.OBJECT ? sync.get("save") : null;
  }

  /** Whether a value announces a feature: an object, {@code true} or a kind that is not zero. */
  private static boolean isSet(@Nullable Json value) {
    return value != null
        && !value.isNull()
        && !value.equals(Json.FALSE)
        && !value.isSameValue(Json.of(0));
  }
}
