package dev.repartee.acp;

import dev.repartee.Call;
import dev.repartee.acp.types.RequestPermissionRequest;
import dev.repartee.acp.types.RequestPermissionResponse;
import dev.repartee.acp.types.SessionNotification;
import dev.repartee.acp.types.SessionUpdate;
import dev.repartee.json.Json;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the updates and questions of one client's agent, and delivers them in order.
 * Thread-safe.
 */
final class Incoming {
  private static final int MOST_QUESTIONS = 100;

  /** The maximum length of all open questions together; a single question may be longer. */
  private static final long MOST_CHARS = 4 << 20;

  private final Map<String, ClientSession> sessions = new ConcurrentHashMap<>();

  private final Object opening = new Object();

  private final PermissionHandler permissions;
  private final BiConsumer<String, SessionUpdate> others;
  private final Deliveries deliveries;

  // Guarded by this. A question is open until its handler has returned, even if it is cancelled,
  // because the handler occupies its thread.
  private int questions; // the number of open questions
  private long chars; // the length of the open questions

  Incoming(
      PermissionHandler permissions,
      BiConsumer<String, SessionUpdate> others,
      Deliveries deliveries) {
    this.permissions = permissions;
    this.others = others;
    this.deliveries = deliveries;
  }

  /**
   * Returns the lock to hold from a call that opens a session until its answer can {@link #put} the
   * session. An update of an unknown session waits for it.
   */
  Object opening() {
    return opening;
  }

  /** Adds a session that receives updates. Returns the session that it replaces, or null. */
  @Nullable ClientSession put(ClientSession session) {
    return sessions.put(session.id(), session);
  }

  /** Replaces a session by the previous session, or removes it if that is null. */
  void restore(ClientSession session, @Nullable ClientSession before) {
    if (before == null) {
      sessions.remove(session.id(), session);
    } else {
      sessions.replace(session.id(), session, before);
    }
  }

  /** Adds an update to the queue of the listeners. Runs on the reading thread. */
  @Nullable Void update(SessionNotification params, Call call) {
    Json text = call.params();
    deliveries.add(() -> deliver(params), text == null ? 0 : text.length());
    return null;
  }

  private void deliver(SessionNotification params) {
    ClientSession session = sessions.get(params.sessionId());
    if (session == null) {
      synchronized (opening) {
        session = sessions.get(params.sessionId());
      }
    }
    UpdateListener listener = session == null ? null : session.note(params.update());
    if (listener == null) {
      others.accept(params.sessionId(), params.update());
    } else {
      listener.updated(params.update());
    }
  }

  /** Asks for permission, after the updates that arrived before the question. */
  CompletableFuture<RequestPermissionResponse> permission(
      RequestPermissionRequest params, Call call) {
    Json text = call.params();
    int size = text == null ? 0 : text.length();
    open(size);
    PermissionQuestion question = new PermissionQuestion(params);
    call.cancellation().onCancel(question::cancel);
    ClientSession session = sessions.get(params.sessionId());
    if (session != null) {
      session.add(question);
    }
    deliveries.add(
        () -> {
          if (question.isCancelled()) {
            closed(size);
          } else {
            question.ask(permissions, () -> closed(size));
          }
        },
        0);
    return question.answer();
  }

  private synchronized void open(int size) {
    if (questions >= MOST_QUESTIONS || questions > 0 && chars + size > MOST_CHARS) {
      throw AcpErrors.refused(
          "too many questions for permission are open; wait for the answers first");
    }
    questions++;
    chars += size;
  }

  private synchronized void closed(int size) {
    questions--;
    chars -= size;
  }
}
