package dev.repartee.mcp.bridge;

import dev.repartee.CallBuilder;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.ReparteeException;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.schema.ArgumentsException;
import dev.repartee.mcp.schema.SelfChecked;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.message.RpcError;
import dev.repartee.openrpc.schema.CheckThreads;
import dev.repartee.openrpc.schema.SchemaValidator;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A JSON-RPC service, in any language, whose methods are tools:
 *
 * <pre>{@code
 * RemoteService shop = RemoteService.connect(() -> Repartee.connect("tcp://127.0.0.1:7000"));
 * McpServer.builder("shop", "1.0").tools(shop.tools()).build().listen("stdio:").join();
 * }</pre>
 *
 * <p>A call of a tool becomes a call of its method. Cancelling the tool call cancels the method
 * call. Progress of the service is forwarded to the client if it is a number, or an object with
 * {@code progress}, {@code total} and {@code message}. If the service answers with an error, does
 * not answer in time, or the connection is lost, the result of the tool has {@code isError} and
 * explains the failure to the model. After a lost connection the next call connects again. All
 * waiting calls share one connection attempt, and attempts are at least one second apart. If the
 * service answers in order and does not support cancellation, a cancelled or timed-out call ends
 * the connection, because later calls would wait for its answer.
 *
 * <p>Thread-safe.
 */
public final class RemoteService implements AutoCloseable {
  /** Connects to the service. */
  @FunctionalInterface
  public interface Connector {
    /**
     * Connects to the service: first in {@link RemoteService#connect}, then for each call that
     * finds the connection lost. The options of the peer limit the time to connect and the time of
     * each call.
     *
     * @throws IOException if the service cannot be reached
     */
    Peer connect() throws IOException;
  }

  /** The maximum number of methods that become tools. More tools do not help a model. */
  private static final int MAX_METHODS = 1_000;

  private static final int LONGEST_NAME = 128;

  private static final String DISCOVERED = "the answer to rpc.discover";
  private static final String GIVEN = "the description";

  private final ReconnectingPeer connection;
  private final @Nullable Json description;
  private final RemoteEvents events;

  /**
   * Converts and checks the answers. Each service has its own threads, so that slow checks do not
   * delay the answers of other services.
   */
  private final CheckThreads checks = new CheckThreads();

  private RemoteService(
      ReconnectingPeer connection, @Nullable Json description, RemoteEvents events) {
    this.connection = connection;
    this.description = description;
    this.events = events;
  }

  /**
   * Connects to a service. {@link #close} closes the connection.
   *
   * @throws IOException if the service cannot be reached
   */
  public static RemoteService connect(Connector connector) throws IOException {
    return connect(connector, null, new RemoteEvents());
  }

  /**
   * Connects to a service that a document describes, and forwards its notifications. {@link #close}
   * closes the connection.
   *
   * @param description the OpenRPC document, version 1, that replaces the answer to {@code
   *     rpc.discover}; null to ask the service. Its member {@code x-connect} lists the first calls
   *     on each connection; see {@link dev.repartee.framing.Envelope#description}
   * @param events receives the running calls; the peers of the connector need its {@linkplain
   *     RemoteEvents#in dialect}
   * @throws IOException if the service cannot be reached, or fails one of the first calls
   * @throws ProtocolException if {@code x-connect} is not an array of at most 10 calls
   */
  public static RemoteService connect(
      Connector connector, @Nullable Json description, RemoteEvents events) throws IOException {
    FirstCalls first = FirstCalls.of(description);
    ReconnectingPeer connection = new ReconnectingPeer(() -> first.makeOn(connector.connect()));
    connection.peer();
    return new RemoteService(connection, description, events);
  }

  /** Returns tools as {@link #tools(BiConsumer)} does, without a report of the omitted methods. */
  public List<Tool> tools() throws IOException {
    return tools((method, reason) -> {});
  }

  /**
   * Returns tools for all methods of the service that answer with one result. The methods are read
   * from the description, if the service was connected with one. Otherwise this method calls {@code
   * rpc.discover} and waits for the answer, an OpenRPC document of version 1.
   *
   * <p>Characters that are not allowed in the name of a tool become underscores. Methods that
   * answer with a stream or a subscription are omitted, because the result of a tool is one value
   * and a stream need not end. In OpenRPC from 1.3 on, a method without a result is a notification.
   * Its tool sends the notification and answers that it was sent; this does not confirm that the
   * service accepts it.
   *
   * @param leftOut receives the name of each omitted method and the reason
   * @throws IOException if the connection was lost and cannot be opened again
   * @throws RpcException if the service answers with an error; -32601 if it does not support {@code
   *     rpc.discover}
   * @throws ProtocolException if the answer or the description is not an OpenRPC document, or lists
   *     more than 1,000 methods
   * @throws CallTimeoutException if the service does not answer in time
   * @throws DisconnectedException if the connection ends before the answer
   */
  public List<Tool> tools(BiConsumer<String, String> leftOut) throws IOException {
    DescribedMethods document = description == null
        ? new DescribedMethods(connection.peer().call("rpc.discover", Json.class), DISCOVERED)
        : new DescribedMethods(description, GIVEN);
    List<RemoteMethod> methods = document.methods();
    if (methods.size() > MAX_METHODS) {
      throw new ProtocolException((description == null ? "rpc.discover" : GIVEN) + " names "
          + methods.size() + " methods; " + MAX_METHODS + " can be tools");
    }
    methods.stream()
        .filter(RemoteMethod::stream)
        .forEach(method -> leftOut.accept(method.name(), "it answers with a stream"));
    return tools(methods.stream().filter(method -> !method.stream()).toList());
  }

  /**
   * Returns tools for methods of a service without {@code rpc.discover}. Does not call the service.
   *
   * <p>An entry is a name or a signature. A method given by its name accepts any object as named
   * params. A method given by its signature, such as {@code "find(text, limit?)"} or {@code
   * "sum(numbers...)"}, accepts positional params in that order. {@code ?} marks an optional
   * parameter. {@code ...} marks the last parameter as variadic: its argument is an array, and the
   * elements become separate params.
   *
   * @param methods names and signatures; duplicates are ignored
   * @throws IllegalArgumentException if a signature is not valid
   */
  public List<Tool> tools(Collection<String> methods) {
    return tools(methods.stream().distinct().map(RemoteMethod::of).toList());
  }

  private List<Tool> tools(List<RemoteMethod> methods) {
    UniqueNames names = new UniqueNames(LONGEST_NAME);
    return methods.stream().map(method -> tool(method, names.of(method.name()))).toList();
  }

  private Tool tool(RemoteMethod method, String name) {
    SchemaValidator known = SchemaValidator.ofArguments(method.input());
    Json output = method.output();
    SchemaValidator promised = output == null ? null : SchemaValidator.ofResults(output);
    return method.tool(name).handle((Tool.Handler & SelfChecked) (call, arguments) -> {
      String fault = known.faultIfKnown(arguments, call.cancellation()::throwIfCancelled);
      if (fault != null) {
        throw new ArgumentsException(fault);
      }
      return call(method, promised, call, arguments);
    });
  }

  /** Closes the connection. Later calls of the tools fail. */
  @Override
  public void close() {
    connection.close();
  }

  // ---------------------------------------------------------------- a call

  private Object call(
      RemoteMethod method, @Nullable SchemaValidator promised, McpCall call, Json arguments) {
    if (method.notification()) {
      return sendNotification(method, arguments);
    }
    Runnable over = events.during(call);
    CallFuture<Json> answer;
    try {
      answer = sent(peer -> send(peer, method, call, arguments));
    } catch (IOException | RuntimeException e) {
      over.run();
      throw failure(method.name(), e);
    }
    call.cancellation().onCancel(() -> answer.cancel(true));
    return answer.handleAsync(
        (result, failure) -> {
          over.run();
          if (failure != null) {
            throw failure(method.name(), failure);
          }
          return method.result(result, promised, call.cancellation()::throwIfCancelled);
        },
        checks);
  }

  private ToolResult sendNotification(RemoteMethod method, Json arguments) {
    try {
      sent(peer -> {
        request(peer, method, arguments).sendNotification();
        return peer;
      });
    } catch (IOException | RuntimeException e) {
      throw failure(method.name(), e);
    }
    return ToolResult.text("The notification '" + method.name()
        + "' was sent. It has no answer: whether the service accepts it is unknown.");
  }

  /**
   * Sends over the connection. If it has just ended before anything was sent, sends over a new one.
   */
  private <T> T sent(Function<Peer, T> send) throws IOException {
    Peer peer = connection.peer();
    try {
      return send.apply(peer);
    } catch (DisconnectedException e) {
      return send.apply(connection.insteadOf(peer));
    }
  }

  private static CallBuilder request(Peer peer, RemoteMethod method, Json arguments) {
    CallBuilder request = peer.request(method.name());
    Json params = method.params(arguments);
    return params == null ? request : request.params(params);
  }

  private CallFuture<Json> send(Peer peer, RemoteMethod method, McpCall call, Json arguments) {
    CallFuture<Json> answer = request(peer, method, arguments)
        .onProgress(value -> progress(call, value))
        .send(Json.class);
    if (events.isBlocking()) {
      answer.whenComplete((result, failure) -> {
        if (failure instanceof CancellationException || failure instanceof CallTimeoutException) {
          hangUp(peer);
        }
      });
    }
    return answer;
  }

  /** Ends a connection with an abandoned call that would block later calls. Does not wait. */
  private void hangUp(Peer peer) {
    connection.forget(peer); // now, so that the next call is not sent over it
    checks.execute(() -> peer.close(Duration.ZERO));
  }

  private static void progress(McpCall call, Json value) {
    boolean object = value.kind() == Json.Kind.OBJECT;
    Double progress = number(object ? value.get("progress") : value);
    if (progress != null) {
      call.progress(progress, number(value.get("total")), value.string("message"));
    }
  }

  private static @Nullable Double number(@Nullable Json value) {
    if (value == null || value.kind() != Json.Kind.NUMBER) {
      return null;
    }
    double number = value.as(BigDecimal.class).doubleValue();
    return Double.isFinite(number) ? number : null;
  }

  /** Converts the failure of a method call to an exception with a message for the model. */
  private static RuntimeException failure(String method, Throwable failure) {
    String why = String.valueOf(failure.getMessage());
    if (failure instanceof RpcException e) {
      return new ToolException("'" + method + "' failed: " + words(e.error()));
    } else if (failure instanceof IOException || ReparteeException.isUnsent(failure)) {
      return new ToolException(
          "'" + method + "' was not called: " + why + ". The next call tries again.");
    } else if (failure instanceof CallTimeoutException) {
      return new ToolException(why);
    } else if (failure instanceof DisconnectedException) {
      return new ToolException(
          why + ". The service may have run the call all the same. The next call connects again.");
    } else if (failure instanceof LimitException) {
      return new ToolException("'" + method + "' was not called: it would be " + why);
    } else if (failure instanceof ProtocolException || failure instanceof JsonException) {
      return new ToolException("the answer to '" + method + "' is not JSON-RPC: " + why);
    }
    return failure instanceof RuntimeException e ? e : new CompletionException(failure);
  }

  private static String words(RpcError error) {
    Json data = error.data();
    return error.message()
        + (error.code() == RpcError.NO_CODE ? "" : " (" + error.code() + ")")
        + (data == null ? "" : ": " + data.text());
  }
}
