package dev.repartee.dap;

import dev.repartee.Peer;
import dev.repartee.dap.handlers.AsyncDebugClient;
import dev.repartee.dap.handlers.DebugClient;
import dev.repartee.dap.types.ProgressStartEvent;
import dev.repartee.json.Json;
import dev.repartee.message.Dialect;
import dev.repartee.message.ForwardingDialect;
import dev.repartee.message.Id;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A session of an adapter with its client. Events are sent in the order of the protocol: events
 * during {@code initialize} follow its answer, and {@code stopped}, {@code exited} and
 * {@code terminated} follow the answer to the request that has resumed the debuggee, such as
 * {@code next}. Up to 4 MiB of events wait for an answer; sending more fails with
 * {@link IllegalStateException}.
 *
 * <p>Requests, and messages that DAP does not define, are sent immediately. Before the answer to
 * {@code initialize} they fail with {@link IllegalStateException}.
 *
 * <p>Thread-safe.
 */
public final class DapSession {
  private final Peer peer;
  private final DebugClient client;
  private final Map<String, Progress> cancellable;
  private final boolean showsProgress;
  private final AtomicInteger lastProgress = new AtomicInteger();

  DapSession(Peer peer, Map<String, Progress> cancellable, boolean showsProgress) {
    this.peer = peer;
    this.client = peer.proxy(DebugClient.class);
    this.cancellable = cancellable;
    this.showsProgress = showsProgress;
  }

  /** Returns the client; its requests wait for the answer. */
  public DebugClient client() {
    return client;
  }

  /** Returns the client, with requests that return futures. Creates a new object at each call. */
  public AsyncDebugClient async() {
    return peer.proxy(AsyncDebugClient.class);
  }

  /** Returns the connection, for messages that DAP does not define. */
  public Peer peer() {
    return peer;
  }

  /** Starts a long operation that the client may show and cancel. */
  public Progress progress(String title) {
    Progress progress =
        new Progress(this, "progress-" + lastProgress.incrementAndGet(), showsProgress);
    if (showsProgress) {
      cancellable.put(progress.id(), progress);
      client.progressStart(new ProgressStartEvent(progress.id(), title).withCancellable(true));
    }
    return progress;
  }

  void ended(Progress progress) {
    cancellable.remove(progress.id());
  }

  /** Returns a dialect that also cancels the operations of a session. */
  static Dialect cancelling(Dialect dialect, Map<String, Progress> cancellable) {
    return new ForwardingDialect(dialect) {
      @Override
      public @Nullable Id cancelled(@Nullable Json params) {
        Json id = params == null ? null : params.get("progressId");
        if (id != null && id.kind() == Json.Kind.STRING) {
          Progress progress = cancellable.get(id.as(String.class));
          if (progress != null) {
            progress.cancel();
          }
        }
        return super.cancelled(params);
      }
    };
  }
}
