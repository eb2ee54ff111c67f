package dev.repartee.lsp;

import dev.repartee.Call;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.lsp.handlers.LanguageClient;
import dev.repartee.lsp.types.ClientCapabilities;
import dev.repartee.lsp.types.LogTraceParams;
import dev.repartee.lsp.types.MarkupContent;
import dev.repartee.lsp.types.ProgressToken;
import dev.repartee.lsp.types.Registration;
import dev.repartee.lsp.types.RegistrationParams;
import dev.repartee.lsp.types.StringOrMarkupContent;
import dev.repartee.lsp.types.TraceValue;
import dev.repartee.lsp.types.WindowClientCapabilities;
import dev.repartee.lsp.types.WorkDoneProgressCreateParams;
import dev.repartee.message.RpcError;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a language server to its client, from {@code initialize} on: the capabilities
 * of the client, and the messages of LSP that need more than one call. A server that is
 * {@link LspSessionAware} receives it. Thread-safe.
 */
public final class LspSession {
  /** The maximum number of running progresses that the client can cancel. */
  private static final int CANCELLABLE = 1_000;

  /** The maximum size in bytes of the capabilities, which are kept as long as the connection. */
  private static final int MOST_CAPABILITIES = 1 << 20;

  private static final AtomicLong IDS = new AtomicLong();

  private final Peer peer;
  private final Json capabilities;
  private final boolean showsMarkup;
  private final Map<ProgressToken, WorkDoneProgress> running = new ConcurrentHashMap<>();
  private volatile TraceValue trace;
  private volatile @Nullable LanguageClient client;

  /**
   * Creates the session of a client with the params of its {@code initialize}.
   *
   * @throws RpcException if the capabilities are larger than those of any real client
   */
  LspSession(Peer peer, @Nullable Json initialize) {
    this.peer = peer;
    Json given = member(initialize, "capabilities");
    if (given != null && given.length() > MOST_CAPABILITIES) {
      throw new RpcException(
          RpcError.INVALID_PARAMS,
          "the capabilities have " + given.length() + " bytes; at most " + MOST_CAPABILITIES);
    }
    this.capabilities = given == null ? Json.EMPTY_OBJECT : given;
    Json diagnostic = member(member(capabilities, "textDocument"), "diagnostic");
    this.showsMarkup = Json.TRUE.equals(member(diagnostic, "markupMessageSupport"));
    this.trace = traceOf(member(initialize, "trace"));
  }

  static @Nullable Json member(@Nullable Json object, String name) {
    return object == null ? null : object.get(name);
  }

  private static TraceValue traceOf(@Nullable Json value) {
    String name = value == null ? null : value.string();
    return name == null ? TraceValue.OFF : TraceValue.of(name);
  }

  /** Returns the connection, for messages that LSP does not define. */
  public Peer peer() {
    return peer;
  }

  /** Returns the client; its requests wait for the answer. */
  public LanguageClient client() {
    LanguageClient known = client;
    if (known == null) {
      known = peer.proxy(LanguageClient.class);
      client = known;
    }
    return known;
  }

  /**
   * Returns the capabilities of the client. Reads them again at each call.
   *
   * @throws JsonException if the client has sent capabilities that LSP does not define
   */
  public ClientCapabilities capabilities() {
    return capabilities.as(peer.types().of(ClientCapabilities.class));
  }

  /**
   * Returns the message of a diagnostic: the markup if the client has the capability {@code
   * textDocument.diagnostic.markupMessageSupport}, otherwise the plain text. Without the capability
   * a server must not send markup (LSP 3.18, {@code Diagnostic.message}).
   *
   * @param plain the same message as plain text
   */
  public StringOrMarkupContent diagnosticMessage(MarkupContent markup, String plain) {
    return showsMarkup ? markup : StringOrMarkupContent.of(plain);
  }

  // ---------------------------------------------------------------- traces

  /**
   * Returns the trace that the client has requested with {@code initialize} or {@code $/setTrace}.
   */
  public TraceValue trace() {
    return trace;
  }

  void trace(@Nullable Json setTrace) {
    trace = traceOf(member(setTrace, "value"));
  }

  /**
   * Sends {@code $/logTrace} if the client has requested traces. Never waits: the message is
   * dropped while the client does not read.
   *
   * @param verbose makes the details; called only if the client has requested a verbose trace
   */
  public void logTrace(String message, Supplier<String> verbose) {
    TraceValue wanted = trace;
    if (!wanted.equals(TraceValue.OFF)) {
      String details = wanted.equals(TraceValue.VERBOSE) ? verbose.get() : null;
      peer.request("$/logTrace").params(new LogTraceParams(message, details)).tryNotify();
    }
  }

  // ---------------------------------------------------------------- progress

  /**
   * Returns the progress of a request, if the client has sent a {@code workDoneToken} with it;
   * otherwise a progress that sends nothing. If the client cancels the progress, the request is
   * answered -32800, and its {@link Call#cancellation} is cancelled.
   */
  public WorkDoneProgress progress(Call call) {
    ProgressToken token = token(member(call.params(), "workDoneToken"));
    if (token == null) {
      return WorkDoneProgress.none();
    }
    WorkDoneProgress progress =
        new WorkDoneProgress(this, token, params -> call.notify("$/progress", params));
    progress.onCancel(() -> call.cancel(Lifecycle.CANCELLED));
    call.cancellation().onCancel(progress::forget);
    return progress;
  }

  /**
   * Returns the progress of work that belongs to no request. It waits for the client to accept a
   * new token. If the client cannot show progress, or refuses, the progress sends nothing.
   *
   * @throws dev.repartee.CallTimeoutException if the client does not answer
   * @throws dev.repartee.transport.DisconnectedException if the connection has ended
   * @throws IllegalStateException on a thread that reads a connection
   */
  public WorkDoneProgress createProgress() {
    WindowClientCapabilities window = capabilities().window();
    if (window == null || !Boolean.TRUE.equals(window.workDoneProgress())) {
      return WorkDoneProgress.none();
    }
    ProgressToken token = ProgressToken.of("repartee-" + IDS.incrementAndGet());
    try {
      peer.request("window/workDoneProgress/create")
          .params(new WorkDoneProgressCreateParams(token))
          .call(Json.class);
    } catch (RemoteRpcException refused) {
      return WorkDoneProgress.none();
    }
    return new WorkDoneProgress(
        this, token, params -> peer.request("$/progress").params(params).sendNotification());
  }

  void begun(ProgressToken token, WorkDoneProgress progress) {
    if (running.size() < CANCELLABLE) {
      running.put(token, progress);
    }
  }

  void ended(ProgressToken token, WorkDoneProgress progress) {
    running.remove(token, progress);
  }

  /** Cancels the progress of the params of {@code window/workDoneProgress/cancel}. */
  void cancelProgress(@Nullable Json params) {
    ProgressToken token = token(member(params, "token"));
    WorkDoneProgress progress = token == null ? null : running.get(token);
    if (progress != null) {
      progress.cancel();
    }
  }

  /** Returns a token; null if the value is not a token. */
  private static @Nullable ProgressToken token(@Nullable Json value) {
    if (value == null) {
      return null;
    }
    try {
      return switch (value.kind()) {
        case STRING -> ProgressToken.of(value.as(String.class));
        case NUMBER -> ProgressToken.of(value.as(int.class));
        default -> null;
      };
    } catch (JsonException e) {
      return null; // a number that is not a 32-bit integer
    }
  }

  // ---------------------------------------------------------------- registration

  /**
   * Registers a capability at the client, and waits until it has accepted ({@code
   * client/registerCapability}). The client must support the dynamic registration of the method,
   * and {@code initialized} must have arrived.
   *
   * @param method such as {@code workspace/didChangeWatchedFiles}
   * @param options the options of the registration, such as {@link
   *     dev.repartee.lsp.types.DidChangeWatchedFilesRegistrationOptions}; null for none
   * @return the registration, which {@code close} ends
   * @throws RemoteRpcException if the client refuses
   * @throws dev.repartee.CallTimeoutException if the client does not answer
   * @throws dev.repartee.transport.DisconnectedException if the connection has ended
   * @throws IllegalStateException on a thread that reads a connection
   */
  public DynamicRegistration register(String method, @Nullable Object options) {
    String id = "repartee-" + IDS.incrementAndGet();
    Json written = options == null ? null : peer.types().toJson(options);
    peer.request("client/registerCapability")
        .params(new RegistrationParams(List.of(new Registration(id, method, written))))
        .call(Json.class);
    return new DynamicRegistration(peer, id, method);
  }
}
