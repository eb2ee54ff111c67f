package dev.repartee.dap;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.dap.handlers.AsyncDebugAdapter;
import dev.repartee.dap.handlers.DebugAdapter;
import dev.repartee.dap.types.Capabilities;
import dev.repartee.dap.types.Configuration;
import dev.repartee.dap.types.ConfigurationDoneArguments;
import dev.repartee.dap.types.DisconnectArguments;
import dev.repartee.dap.types.InitializeRequestArguments;
import dev.repartee.dap.types.StartDebuggingRequest;
import dev.repartee.dap.types.StartDebuggingRequestArguments;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client of a debug adapter: one session.
 *
 * <pre>{@code
 * try (DapClient client = DapClient.connect("exec:python3 -m debugpy.adapter", new MyClient())) {
 *   client.initialize(new InitializeRequestArguments("python"));
 *   client.launch(
 *       Configuration.of(Map.of("program", "main.py")),
 *       adapter -> adapter.setBreakpoints(breakpoints));
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class DapClient implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final String uri;
  private final Options options;
  private final Peer peer;
  private final DebugAdapter adapter;
  private final CompletableFuture<@Nullable Void> initialized;
  private volatile @Nullable InitializeRequestArguments arguments;
  private volatile Capabilities capabilities = new Capabilities();

  private DapClient(
      String uri, Options options, Peer peer, CompletableFuture<@Nullable Void> initialized) {
    this.uri = uri;
    this.options = options;
    this.peer = peer;
    this.adapter = peer.proxy(DebugAdapter.class);
    this.initialized = initialized;
  }

  /**
   * Starts an adapter, or connects to one; see {@link #connect(String, Object, Options)}.
   *
   * @throws IOException if the adapter cannot be started or reached
   */
  public static DapClient connect(String uri, Object client) throws IOException {
    return connect(uri, client, DapServer.options().build());
  }

  /**
   * Starts an adapter, or connects to one.
   *
   * @param uri such as {@code exec:python3 -m debugpy.adapter} or {@code tcp://127.0.0.1:4711}
   * @param client the object with handlers for events and reverse requests, such as {@link
   *     dev.repartee.dap.handlers.StoppedHandler}; other events are ignored, and other requests are
   *     answered with an error
   * @param options the options, made by {@link DapServer#options}
   * @throws IOException if the adapter cannot be started or reached
   * @throws IllegalArgumentException if the object has no method, or a method that cannot be served
   */
  public static DapClient connect(String uri, Object client, Options options) throws IOException {
    CompletableFuture<@Nullable Void> initialized = new CompletableFuture<>();
    Options own = options.toBuilder()
        .layer((call, next) -> note(call, next, initialized))
        .answersUnreadable(false)
        .build();
    return new DapClient(
        uri,
        options,
        Repartee.connect(uri, DapServer.withDefault(Service.of(client), "initialized"), own),
        initialized);
  }

  private static @Nullable Object note(
      Call call, Handler next, CompletableFuture<@Nullable Void> initialized) throws Exception {
    try {
      return next.handle(call);
    } finally {
      if (call.method().equals("initialized") && call.id() == null) {
        initialized.complete(null);
      }
    }
  }

  /** Returns the adapter; its requests wait for the answer. */
  public DebugAdapter adapter() {
    return adapter;
  }

  /**
   * Returns the adapter, with requests that return futures. Creates a new object at each call.
   * Cancelling a future sends {@code cancel}, if the adapter supports it.
   */
  public AsyncDebugAdapter async() {
    return peer.proxy(AsyncDebugAdapter.class);
  }

  /** Returns the connection, for messages that DAP does not define. */
  public Peer peer() {
    return peer;
  }

  /** Returns the capabilities of the adapter; empty before {@link #initialize}. */
  public Capabilities capabilities() {
    return capabilities;
  }

  /**
   * Sends {@code initialize}, the first request of a session.
   *
   * @return the capabilities of the adapter
   */
  public Capabilities initialize(InitializeRequestArguments client) {
    Capabilities answer = adapter.initialize(client);
    arguments = client;
    capabilities = answer == null ? new Capabilities() : answer;
    return capabilities;
  }

  /**
   * Launches a program: sends {@code launch}, configures the session when the adapter sends
   * {@code initialized}, sends {@code configurationDone} if the adapter supports it, and waits for
   * the answer to {@code launch}. The time limit for the event and for each answer is the
   * {@code callTimeout} of the options.
   *
   * @param configure sets the breakpoints
   * @throws dev.repartee.RpcException if the adapter answers one of the requests with an error
   * @throws IllegalStateException if {@code initialized} does not arrive in time
   */
  public void launch(Configuration configuration, Consumer<DebugAdapter> configure) {
    start(async().launch(configuration), configure);
  }

  /**
   * Attaches to a running program, with the same steps as {@link #launch}.
   *
   * @param configure sets the breakpoints
   * @throws dev.repartee.RpcException if the adapter answers one of the requests with an error
   */
  public void attach(Configuration configuration, Consumer<DebugAdapter> configure) {
    start(async().attach(configuration), configure);
  }

  private void start(CompletableFuture<@Nullable Void> started, Consumer<DebugAdapter> configure) {
    CompletableFuture<@Nullable Void> ready = new CompletableFuture<>();
    initialized.thenRun(() -> ready.complete(null));
    started.whenComplete((done, failure) -> {
      if (failure != null) {
        ready.completeExceptionally(failure); // also if the connection ends, or no answer arrives
      }
    });
    peer.closed().whenComplete((closed, cause) -> ready.completeExceptionally(ended(cause)));
    Duration limit = options.limits().callTimeout();
    if (!limit.isZero()) {
      ready.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS);
    }
    await(ready);
    configure.accept(adapter);
    if (Boolean.TRUE.equals(capabilities.supportsConfigurationDoneRequest())) {
      adapter.configurationDone(new ConfigurationDoneArguments());
    }
    await(started);
  }

  private static Throwable ended(@Nullable Throwable cause) {
    return cause == null
        ? new DisconnectedException(
            "the adapter has ended the connection before 'initialized'", null)
        : cause;
  }

  private static void await(CompletableFuture<?> future) {
    try {
      future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      } else if (e.getCause() instanceof TimeoutException) {
        throw new IllegalStateException("the adapter has not sent the event 'initialized' in time");
      }
      throw e;
    }
  }

  /**
   * Starts the session that the adapter requests with {@code startDebugging}: connects to the same
   * address, or starts another adapter process, sends the same {@code initialize}, and launches or
   * attaches. Called by the handler of {@code startDebugging}. The new session does not end with
   * this one.
   *
   * @param client the object with handlers for the new session
   * @param configure sets the breakpoints of the new session
   * @throws IllegalStateException if {@link #initialize} was not called
   * @throws IOException if the adapter cannot be started or reached
   * @throws dev.repartee.RpcException if the adapter answers one of the requests with an error
   */
  public DapClient startDebugging(
      StartDebuggingRequestArguments request, Object client, Consumer<DebugAdapter> configure)
      throws IOException {
    InitializeRequestArguments own = arguments;
    if (own == null) {
      throw new IllegalStateException("the session is not initialized; call initialize() first");
    }
    DapClient session = connect(uri, client, options);
    boolean started = false;
    try {
      session.initialize(own);
      if (request.request().equals(StartDebuggingRequest.ATTACH)) {
        session.attach(request.configuration(), configure);
      } else {
        session.launch(request.configuration(), configure);
      }
      started = true;
      return session;
    } finally {
      if (!started) {
        session.close();
      }
    }
  }

  /**
   * Sends {@code disconnect}, which ends a launched debuggee and leaves an attached one running,
   * waits for the adapter to end the connection, and closes it. Each step has five seconds; an
   * adapter that does not answer is closed anyway.
   */
  @Override
  public void close() {
    try {
      async()
          .disconnect(new DisconnectArguments())
          .orTimeout(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
          .join();
      peer.closed()
          .toCompletableFuture()
          .orTimeout(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (RuntimeException e) {
      // It has ended, or does not answer; the connection is closed in any case.
    }
    peer.close();
  }
}
