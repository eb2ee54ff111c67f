package dev.repartee.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.CallTimeoutException;
import dev.repartee.HttpException;
import dev.repartee.Options;
import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.ReparteeException;
import dev.repartee.RpcException;
import dev.repartee.cli.login.Login;
import dev.repartee.cli.login.LoginOptions;
import dev.repartee.cli.options.ConnectedCommand;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.options.ErrorObject;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.SignalHook;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.cli.terminal.Table;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonLayout;
import dev.repartee.mcp.client.LogMessage;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.oauth.AuthorizationException;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that connects to one MCP server, asks it and prints the answer. */
@SuppressWarnings("deprecation") // deprecated by the specification, but still supported
abstract class McpClientCommand extends ConnectedCommand {
  /** The time limit of single requests if a person may be asked; {@code --timeout} pauses then. */
  private static final Duration LONG = Duration.ofHours(24);

  /** The time to end the connection after a signal. */
  private static final Duration FAREWELL = Duration.ofSeconds(1);

  private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

  @Parameters(index = "0", paramLabel = "URI", description = """
          The endpoint of the MCP server: exec:COMMAND starts a program and uses its standard \
          input and output; http://HOST:PORT/PATH and https: are Streamable HTTP, or HTTP with SSE \
          of the first revision; ws://..., tcp://HOST:PORT and unix:PATH carry a message per \
          frame.""")
  String uri = "";

  @Mixin
  final LoginOptions loginOptions = new LoginOptions();

  @Mixin
  final RevisionOption revision = new RevisionOption();

  @Option(names = "--log-level", paramLabel = "LEVEL", description = """
          Show the log messages of the server from this level on: debug, info, notice, warning, \
          error, critical, alert, emergency.""")
  @Nullable LogLevel level;

  @Option(names = "--json", description = "Print the answer of the server as JSON.")
  boolean json;

  /** The exit code of an answer, one of {@link Exit}. */
  int exit = Exit.OK;

  private @Nullable Login login;
  private volatile boolean ending;

  /** Reads the input of the command before it connects. */
  void prepare() {}

  /** Asks the server and prints the answer. */
  abstract void run(McpClient client) throws Exception;

  /** Returns whether {@link #run} has no time limit. */
  boolean isEndless() {
    return false;
  }

  /** Receives a log message of the server, on a thread that must not block. */
  void log(LogMessage message) {
    stdio.note(sentence(message));
  }

  @Override
  public final Integer call() {
    prepare();
    login = loginOptions.login(uri, stdio, connection);
    Stopwatch watch = connection.begin(stdio);
    try {
      McpClient client = within(this::connect);
      watch.lap("connected");
      use(client);
      watch.lap("answered");
      return exit;
    } catch (Failure e) {
      throw e;
    } catch (RpcException e) {
      stdio.note("", ErrorObject.of(e.error()));
      if (isOfAnotherProtocol(e)) {
        stdio.say(noMcp(uri));
      }
      return Exit.ERROR_RESPONSE;
    } catch (Exception e) {
      if (ending) {
        return Exit.OK; // the JVM ends with the code of the signal
      }
      throw failure(e);
    }
  }

  private Failure failure(Exception e) {
    if (isUnauthorized(e)) {
      return Failure.cannotConnect(Endpoint.shown(uri)
          + " refuses the request without authorization (HTTP status 401); log in with --login,"
          + " or send a token with --auth bearer:@FILE");
    } else if (login != null && e instanceof AuthorizationException refusal) {
      return login.failure(refusal);
    } else if (e instanceof ProtocolException || e instanceof JsonException) {
      return new Failure(Exit.PROTOCOL, Failure.reason(e)); // names the server
    } else if (ReparteeException.isUnsent(e)) {
      return Failure.cannotConnect(
          Endpoint.shown(uri) + " did not run the request: " + Failure.reason(e));
    } else if (e instanceof CallTimeoutException) {
      return Failure.lost("no answer from " + Endpoint.shown(uri) + " within "
          + connection.timeout.toMillis() + " ms; raise the limit with --timeout");
    } else if (e instanceof DisconnectedException) {
      return Failure.lost(
          "the connection to " + Endpoint.shown(uri) + " ended: " + Failure.reason(e));
    } else if (e instanceof IOException unreachable) {
      return Connection.unreachable(uri, unreachable);
    } else if (e instanceof RuntimeException defect) {
      throw defect;
    }
    throw new IllegalStateException(e);
  }

  /** Returns whether the server does not know the first method of MCP. */
  static boolean isOfAnotherProtocol(RpcException e) {
    return e.code() == RpcError.METHOD_NOT_FOUND
        && e instanceof RemoteRpcException remote
        && (remote.method().equals("initialize") || remote.method().equals("server/discover"));
  }

  /** Returns the sentence for a server of JSON-RPC without MCP. */
  static String noMcp(String uri) {
    String shown = Endpoint.shown(uri);
    return shown + " speaks JSON-RPC but not MCP; 'repartee mcp serve " + shown
        + "' makes its methods tools";
  }

  /** Returns whether the server has answered that it needs authorization. */
  private static boolean isUnauthorized(Exception e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof HttpException refused && refused.status() == 401) {
        return true;
      }
    }
    return false;
  }

  private McpClient connect() throws IOException {
    Options options = connection.options(Options.DEFAULT, uri, stdio);
    McpClient.Builder builder = revision
        .on(McpClient.builder("repartee", Repartee.version()))
        .options(options)
        .timeout(stdio.isInteractive() || loginOptions.isInteractive() ? LONG : connection.timeout)
        .onElicitation(new FormPrompt(stdio, connection::pause, connection::resume));
    if (login != null) {
      builder.authorization(login.authorization());
    }
    if (level != null) {
      builder.onLog(this::log);
    }
    try {
      if (Endpoint.parse(uri).scheme().equals("stdio")) {
        throw Failure.usage("'" + uri + "' cannot be called, since standard output carries the"
            + " result; start the server with exec:COMMAND instead");
      }
      return builder.connect(uri);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    } catch (DisconnectedException e) { // such as a process that ends immediately
      throw new IOException(Failure.reason(e), e);
    }
  }

  private void use(McpClient client) throws Exception {
    SignalHook hook = new SignalHook("end of the client", () -> end(client));
    try {
      if (isEndless()) {
        run(client);
        return;
      }
      within(() -> {
        setLevel(client);
        run(client);
        return client;
      });
    } finally {
      hook.remove();
      connection.begin(); // a new time limit for the close, because the old one may have passed
      client.close();
    }
  }

  /**
   * Returns the entries of a list. Returns an empty list if the server does not know the method,
   * like many servers.
   */
  static <T> List<T> listed(Supplier<Stream<T>> list) {
    try {
      return list.get().toList();
    } catch (RpcException e) {
      if (e.code() == RpcError.METHOD_NOT_FOUND) {
        return List.of();
      }
      throw e;
    }
  }

  /** Requests log messages, if the server supports them. */
  final void setLevel(McpClient client) {
    if (level == null) {
      return;
    }
    if (client.capabilities().get("logging") == null) {
      stdio.say("the server sends no log messages: it does not have the capability 'logging'");
      return;
    }
    client.logLevel(level);
  }

  /** Handles a signal: ends the connection. */
  private void end(McpClient client) {
    ending = true;
    Thread closing = Threads.daemon("close", client::close);
    closing.start();
    try {
      closing.join(FAREWELL.toMillis());
    } catch (InterruptedException e) {
      // The connection ends with the process.
    }
  }

  /** Runs a step within the time limit, which is paused while a person is asked. */
  final <T> T within(Callable<T> step) throws Exception {
    FutureTask<T> task = new FutureTask<>(step);
    Threads.start("mcp", task);
    while (true) {
      try {
        long nanos = Math.min(connection.left().toNanos(), CHECK_NANOS);
        return task.get(nanos, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        if (connection.nanosLeft() <= 0) {
          task.cancel(true); // the interrupted thread cancels its request
          throw new CallTimeoutException("the time limit of the command has passed");
        }
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Error error) {
          throw error;
        }
        throw e.getCause() instanceof Exception cause ? cause : e;
      }
    }
  }

  // ---------------------------------------------------------------- output

  /** Prints indented JSON, even for programs. */
  final void pretty(Json value) {
    stdio.line(JsonLayout.INDENTED.text(value).getBytes(UTF_8));
  }

  /** Prints a table, or a message on standard error if it is empty. */
  final void print(Table table, String none) {
    if (table.isEmpty()) {
      stdio.note(none);
    }
    stdio.table(table);
  }

  static String sentence(LogMessage message) {
    Json data = message.data();
    String words = data.string();
    String text = words == null ? JsonLayout.ONE_LINE.text(data) : words;
    return label(message.level()) + ": "
        + (message.logger() == null ? "" : "[" + message.logger() + "] ") + text;
  }

  static String label(LogLevel level) {
    return level.name().toLowerCase(Locale.ROOT);
  }
}
