package dev.repartee.mcp.client;

import dev.repartee.CallBuilder;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.HttpException;
import dev.repartee.ProtocolException;
import dev.repartee.ReparteeException;
import dev.repartee.RpcException;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.wire.Errors;
import dev.repartee.mcp.wire.RequestMeta;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of a client over its current connection, and opens a connection when needed. A
 * request is sent again only if the server has not run it: it could not be written, its session is
 * unknown, or the server refused its revision, headers or capabilities. In the stateless revision a
 * request is also repeated with the answers to the server's questions.
 *
 * <p>Thread-safe.
 */
final class Requests {
  // Implementation note.
  //
  // The connection. "current" is the last link. It stays set after the link was lost or dropped,
  // because revision() and server() of the client read it between two connections. Link.isOpen()
  // returns whether it can be used. Several requests may find it unusable at the same time: the
  // first request sets "connecting", and the others wait for copies of that future. They get copies
  // because a caller may cancel its future, which must not end the attempt for all others.
  //
  // A request (Sending) is a loop of attempts without a thread:
  //
  //   attempt() --> link --> sent --+--> answered --+--> future completes
  //       ^                         |               |
  //       |                         v               v "input_required"
  //       +--------- refused, not sent         ask() the user --> attempt() with the answers
  //
  // An attempt begins only after the previous attempt has ended. The futures and executors between
  // the steps publish the fields that are not volatile. The timer and cancel() read the volatile
  // fields at any time.
  //
  // Sending again is safe only for a request that the server has not run. failed() and refused()
  // list all such refusals; any other failure, in particular a lost connection after the write, is
  // the outcome. ATTEMPTS bounds the attempts for all reasons together; without it, a server that
  // refuses each time would be asked forever. Rounds of questions are not failures; Questions
  // bounds them.
  //
  // One Deadline covers the connection, all attempts and all rounds. With a time-out for each
  // attempt, a server could extend a call forever with "input_required". The clock stops while a
  // handler of this client answers a question, because then the user is slow and not the server. If
  // the deadline passes while the client reacts to a refusal (HEADER_MISMATCH), timedOut() reports
  // the refusal: it explains more than "no answer".
  //
  // After "call = sent", attempt() checks the future again: a cancellation between the first check
  // and the assignment did not find a call to cancel.
  //
  // Threads. Answers arrive on the thread that reads the connection. All steps that may wait run on
  // Futures.WORKERS: connecting, questions to the user, the lists of tools behind onHeaderMismatch,
  // and the close of a dropped link.
  //
  // Lock. The monitor guards "connecting" and the changes of "current" and "closed", which are
  // volatile for readers. It orders connected() and close(): connected() closes a link that opens
  // after close(), and close() closes a link that opened before. Only Link.drop(), which sets a
  // flag, is called while the monitor is held.

  /**
   * The answer to a request.
   *
   * @param link the connection it arrived on
   * @param json the result
   * @param members the members of the result
   * @param rounds the number of rounds of input requests before this answer
   * @param deadline the deadline of the request
   */
  record Answer(Link link, Json json, Map<String, Json> members, int rounds, Deadline deadline) {}

  /** The maximum number of times that a request is sent, not counting rounds of questions. */
  private static final int ATTEMPTS = 3;

  /** The requests that a server may answer with a question (2026-07-28, multi round-trip). */
  private static final Set<String> ASKING = Set.of("tools/call", "prompts/get", "resources/read");

  private final Settings settings;
  private final Notifications notifications;
  private final Inputs inputs;
  private final Connector connector;
  private volatile @Nullable Link current;
  private @Nullable CompletableFuture<Link> connecting; // guarded by this
  private volatile boolean closed;
  private volatile @Nullable LogLevel level;
  private volatile Consumer<Link> onLink = link -> {};
  private volatile Supplier<CompletableFuture<?>> onHeaderMismatch =
      () -> CompletableFuture.completedFuture(null);

  /** The constant part of {@code _meta} of each revision, which every stateless request repeats. */
  private final Map<Revision, byte[]> metadata = new ConcurrentHashMap<>();

  Requests(Settings settings, Notifications notifications, Inputs inputs, Connector connector) {
    this.settings = settings;
    this.notifications = notifications;
    this.inputs = inputs;
    this.connector = connector;
  }

  /**
   * Sets the action for each new connection, and the action that fetches the header marks of tools.
   */
  void listeners(Consumer<Link> onLink, Supplier<CompletableFuture<?>> onHeaderMismatch) {
    this.onLink = onLink;
    this.onHeaderMismatch = onHeaderMismatch;
  }

  void level(LogLevel level) {
    this.level = level;
  }

  // ---------------------------------------------------------------- the connection

  /** Opens the first connection, on this thread. */
  Link connect() throws IOException {
    Link link = connector.open();
    connected(link);
    return link;
  }

  /** Returns the last connection, which may be closed or dropped. */
  Link last() {
    return Objects.requireNonNull(current);
  }

  /**
   * Returns the open connection, or opens one. Cancelling the future does not affect other callers.
   */
  CompletableFuture<Link> link() {
    Link link = current;
    if (link != null && link.isOpen()) {
      return CompletableFuture.completedFuture(link);
    }
    CompletableFuture<Link> opening;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(
            new DisconnectedException("this client is closed", null));
      }
      Link now = current;
      if (now != null && now.isOpen()) {
        return CompletableFuture.completedFuture(now);
      }
      if (connecting != null) {
        return connecting.copy();
      }
      opening = new CompletableFuture<>();
      connecting = opening;
    }
    Futures.WORKERS.execute(() -> open(opening));
    return opening.copy();
  }

  private void open(CompletableFuture<Link> opening) {
    Link link = null;
    Throwable failure = null;
    try {
      link = connector.open();
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    synchronized (this) {
      connecting = null;
    }
    if (link == null) {
      opening.completeExceptionally(failure);
    } else if (connected(link)) {
      opening.complete(link);
    } else {
      opening.completeExceptionally(new DisconnectedException("this client is closed", null));
    }
  }

  private boolean connected(Link link) {
    boolean late;
    synchronized (this) {
      late = closed;
      if (!late) {
        current = link;
      }
    }
    if (late) {
      link.peer().close(Duration.ZERO);
      return false;
    }
    LogLevel wanted = level;
    if (wanted != null && !link.isStateless()) {
      setLevel(link, wanted);
    }
    onLink.accept(link);
    return true;
  }

  /** Sends {@code logging/setLevel} without waiting for its answer. */
  private static CallFuture<Json> setLevel(Link link, LogLevel level) {
    return link.peer()
        .request("logging/setLevel")
        .params(Json.of(Map.of("level", level.label())))
        .send(Json.class);
  }

  /** Closes a connection whose session or revision the server no longer supports. */
  private void drop(Link link) {
    boolean first;
    synchronized (this) {
      first = link.drop();
    }
    if (first) {
      Futures.WORKERS.execute(() -> link.peer().close(Duration.ZERO));
    }
  }

  void close() {
    Link link;
    synchronized (this) {
      closed = true;
      link = current;
    }
    if (link != null) {
      link.peer().close();
    }
  }

  boolean isClosed() {
    return closed;
  }

  // ---------------------------------------------------------------- requests

  /** Sends a request. Cancelling the future cancels the request at the server. */
  CompletableFuture<Answer> send(Outgoing request) {
    return send(request, deadline(request));
  }

  /** Sends a request whose time-out is already running. */
  CompletableFuture<Answer> send(Outgoing request, Deadline deadline) {
    Sending sending = new Sending(request, deadline);
    sending.attempt();
    return sending.future;
  }

  /** Starts the time-out of a request. */
  Deadline deadline(Outgoing request) {
    return Deadline.in(request.timeout(), request.longest(), inputs.newClock());
  }

  /** Returns the params of a request with its metadata. */
  private Json params(
      Outgoing request,
      Link link,
      @Nullable Long token,
      @Nullable Json answers,
      @Nullable Json state) {
    boolean stateless = link.isStateless();
    LogLevel wanted = request.level() == null ? level : request.level();
    boolean bare = !stateless && token == null && request.meta().isEmpty();
    if (bare) {
      return request.params();
    }
    JsonWriter out = new JsonWriter(request.params().length() + 512);
    byte[] given = UnsafeJson.array(request.params());
    out.raw(given, 0, given.length - 1);
    boolean more = !request.params().equals(Json.EMPTY_OBJECT);
    if (answers != null) {
      out.ascii(more ? "," : "").ascii("\"inputResponses\":").json(answers);
      more = true;
    }
    if (state != null) {
      out.ascii(more ? "," : "").ascii("\"requestState\":").json(state);
      more = true;
    }
    out.ascii(more ? "," : "").ascii("\"_meta\":{");
    String comma = "";
    if (stateless) {
      out.raw(metadata(link, request.tasks()));
      comma = ",";
      if (wanted != null) {
        out.put(',').string(RequestMeta.LEVEL).put(':').string(wanted.label());
      }
    }
    if (token != null) {
      out.ascii(comma).ascii("\"progressToken\":").number(token);
      comma = ",";
    }
    for (Map.Entry<String, Json> member : request.meta().entrySet()) {
      out.ascii(comma).string(member.getKey()).put(':').json(member.getValue());
      comma = ",";
    }
    return UnsafeJson.wrap(out.ascii("}}").toBytes());
  }

  /** Returns the members of the metadata of a request on a connection. */
  byte[] metadata(Link link, boolean tasks) {
    if (!tasks) {
      return metadata.computeIfAbsent(link.revision(), this::metadata);
    }
    JsonWriter out = new JsonWriter();
    Connector.meta(settings, link.revision(), true, out);
    return out.toBytes();
  }

  private byte[] metadata(Revision revision) {
    JsonWriter out = new JsonWriter();
    Connector.meta(settings, revision, false, out);
    return out.toBytes();
  }

  /** A request with its repetitions. One step runs at a time. */
  private final class Sending {
    private final CompletableFuture<Answer> future = new CompletableFuture<>();
    private final @Nullable Long token;
    private final Deadline deadline;
    private volatile Outgoing request;

    /** The refusal to which the client is reacting: it fetches the header marks and sends again. */
    private volatile @Nullable RpcException refusal;

    private volatile @Nullable CallFuture<Json> call;
    private @Nullable Json answers;
    private @Nullable Json state;
    private final Questions questions;
    private int attempts;

    Sending(Outgoing request, Deadline deadline) {
      this.request = request;
      this.deadline = deadline;
      this.questions = new Questions(inputs, request.elicitation(), future, deadline.clock());
      Consumer<Progress> progress = request.progress();
      Consumer<Progress> taker = request.longest() == null
          ? progress
          : report -> {
            deadline.progressed();
            if (progress != null) {
              progress.accept(report);
            }
          };
      this.token = taker == null ? null : notifications.token(taker);
      Deadline.Timer timer = deadline.whenPassed(this::timedOut);
      future.whenComplete((answer, failure) -> {
        timer.stop();
        if (token != null) {
          notifications.forget(token);
        }
        CallFuture<Json> sent = call;
        if (future.isCancelled() && sent != null) {
          sent.cancel(true);
        }
      });
    }

    /** Sends the request over the open connection, on this thread, or over a new connection. */
    void attempt() {
      Link link = current;
      if (link != null && link.isOpen()) {
        attempt(link);
        return;
      }
      link().whenComplete((opened, failure) -> {
        if (failure != null) {
          fail(failure);
        } else {
          attempt(opened);
        }
      });
    }

    private void attempt(Link link) {
      if (future.isDone()) {
        return;
      }
      CallFuture<Json> sent;
      try {
        CallBuilder next = link.peer()
            .request(request.method())
            .params(params(request, link, token, answers, state))
            .timeout(Duration.ZERO); // the deadline covers all attempts
        sent = (request.independent() ? next.independent() : next).send(Json.class);
      } catch (DisconnectedException e) { // not sent
        if (++attempts < ATTEMPTS && !closed) {
          drop(link);
          attempt();
        } else {
          fail(e);
        }
        return;
      } catch (RuntimeException e) {
        fail(e);
        return;
      }
      call = sent;
      if (future.isDone()) { // since the first check
        sent.cancel(true);
      }
      sent.whenComplete((result, failure) -> {
        try {
          if (failure == null) {
            answered(link, result);
          } else {
            failed(link, failure);
          }
        } catch (RuntimeException | Error e) {
          fail(e);
        }
      });
    }

    /** Fails the request at its deadline, and cancels it at the server. */
    private void timedOut() {
      RpcException refused = refusal;
      if (refused != null) {
        fail(refused);
        return;
      }
      Link link = current;
      String what = deadline.isLongest()
          ? "within " + deadline.longestMillis() + " ms"
          : "and no progress in " + request.timeout().toMillis() + " ms";
      fail(new CallTimeoutException("no answer to '" + request.method() + "' " + what
          + (link == null ? "" : " from " + link.server()) + "; the call was cancelled"));
      CallFuture<Json> sent = call;
      if (sent != null) {
        sent.cancel(true);
      }
    }

    private void failed(Link link, Throwable failure) {
      Throwable cause = UserCode.cause(failure);
      if (attempts + 1 >= ATTEMPTS) {
        fail(cause);
      } else if (ReparteeException.isUnsent(cause) && !isBusy(cause)) {
        attempts++;
        if (!(cause instanceof HttpException)) { // it ends only a connection, not the session
          drop(link);
        }
        attempt();
      } else if (cause instanceof RpcException error && link.isStateless()) {
        refused(link, error);
      } else {
        fail(cause);
      }
    }

    private static boolean isBusy(Throwable cause) {
      return cause instanceof HttpException refusal
          && refusal.status() == HttpException.UNAVAILABLE;
    }

    /** Sends a request again with the changes that the refusal of the server asks for. */
    private void refused(Link link, RpcException error) {
      switch (error.code()) {
        case Errors.UNSUPPORTED_VERSION -> {
          attempts++;
          drop(link);
          attempt();
        }
        case Errors.HEADER_MISMATCH -> {
          attempts++;
          refusal = error;
          onHeaderMismatch
              .get()
              .whenCompleteAsync(
                  (loaded, failure) -> {
                    refusal = null;
                    if (failure == null) {
                      attempt();
                    } else {
                      fail(error);
                    }
                  },
                  Futures.WORKERS);
        }
        case Errors.MISSING_CAPABILITY -> {
          if (request.tasks() || !wantsTasks(error.data())) {
            fail(error);
            return;
          }
          attempts++;
          request = request.withTasks();
          attempt();
        }
        default -> fail(error);
      }
    }

    private boolean wantsTasks(@Nullable Json data) {
      return data != null
          && request.method().equals("tools/call")
          && data.toString().contains('"' + Settings.TASKS + '"');
    }

    private void answered(Link link, Json result) {
      if (result.kind() != Json.Kind.OBJECT) {
        throw broken(link, "expected an object, not " + result.kind().phrase());
      }
      Map<String, Json> members = result.members();
      Json type = members.get("resultType");
      if (!link.isStateless()) {
        future.complete(new Answer(link, result, members, questions.rounds(), deadline));
        return;
      }
      if (type == null) {
        String what = "a result of '" + request.method() + "' without resultType";
        if (settings.strict()) {
          throw broken(link, "missing: resultType");
        }
        settings.options().listener().violation(link.peer().channel(), what);
      }
      String label =
          type == null ? "complete" : type.kind() == Json.Kind.STRING ? type.as(String.class) : "";
      switch (label) {
        case "complete" ->
          future.complete(new Answer(link, result, members, questions.rounds(), deadline));
        case "input_required" -> ask(link, members);
        default -> {
          if (!label.equals("task") || !request.tasks()) {
            throw broken(link, "the resultType " + type + " is unknown");
          }
          future.complete(new Answer(link, result, members, questions.rounds(), deadline));
        }
      }
    }

    private ProtocolException broken(Link link, String what) {
      return Answers.broken(request.method(), link.server(), what);
    }

    private void ask(Link link, Map<String, Json> members) {
      if (!ASKING.contains(request.method())) {
        throw broken(link, "only tools/call, prompts/get and resources/read may ask for input");
      }
      questions.begin(what -> broken(link, what));
      Json asked = members.get("inputRequests");
      state = members.get("requestState");
      answers = null;
      if (asked == null && state == null) {
        throw broken(link, "it asks for input without inputRequests and requestState");
      }
      if (state != null && state.kind() != Json.Kind.STRING) {
        throw broken(link, "requestState: expected a string");
      }
      if (asked == null) { // the server needs more time; the pause grows
        settings
            .clock()
            .schedule(Duration.ofMillis(50L * questions.rounds()), Futures.WORKERS, this::attempt);
        return;
      }
      if (asked.kind() != Json.Kind.OBJECT) {
        throw broken(link, "inputRequests: expected an object");
      }
      Futures.WORKERS.execute(() -> {
        try {
          answers = questions.answers(asked.members(), what -> broken(link, what));
          attempt();
        } catch (RuntimeException | Error e) {
          fail(e);
        }
      });
    }

    private void fail(Throwable cause) {
      Throwable failure = Futures.outcome(cause); // an error, too, ends the call
      future.completeExceptionally(questions.rounds() > 0 ? Futures.begun(failure) : failure);
    }
  }
}
