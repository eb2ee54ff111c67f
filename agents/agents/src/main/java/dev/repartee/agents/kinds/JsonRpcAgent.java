package dev.repartee.agents.kinds;

import dev.repartee.CallBuilder;
import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.agents.Agent;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.mcp.bridge.RemoteMethod;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.openrpc.schema.CheckThreads;
import dev.repartee.openrpc.schema.SchemaValidator;
import dev.repartee.reconnect.Reconnecting;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A JSON-RPC service with its methods as skills. {@code rpc.discover} lists them; a service without
 * it declares no skills. Tasks may also call other methods. A lost connection is opened again, and
 * a process that has ended is restarted.
 */
final class JsonRpcAgent implements Agent {
  /** The method that the service calls to ask a human. Only some transports carry such calls. */
  static final String ASK = "agent.ask";

  private static final String NAMING =
      "; add the member 'id' to agent.ask, with the id of the request that the question belongs to";

  private final String name;
  private final Peer peer;
  private final RunningTasks running;
  private final Map<String, RemoteMethod> methods = new LinkedHashMap<>();
  private final Map<String, SchemaValidator> outputs = new LinkedHashMap<>();
  private final CheckThreads checks = new CheckThreads();
  private final List<Skill> skills;

  private JsonRpcAgent(String name, Peer peer, RunningTasks running, List<RemoteMethod> known) {
    this.name = name;
    this.peer = peer;
    this.running = running;
    for (RemoteMethod method : known) {
      methods.put(method.name(), method);
      Json output = method.output();
      if (output != null) {
        outputs.put(method.name(), SchemaValidator.ofResults(output));
      }
    }
    this.skills = known.stream()
        .map(m -> new Skill(m.name(), m.description(), m.input(), m.output()))
        .toList();
  }

  static JsonRpcAgent connect(String name, String endpoint, AgentConnector settings)
      throws IOException {
    RunningTasks running = new RunningTasks(name);
    Peer peer = Reconnecting.to(endpoint)
        .options(running.watching(settings.options()))
        .service(questions(running))
        .backoff(RunningTasks.BACKOFF)
        .listener(running.reconnecting())
        .connect();
    try {
      return new JsonRpcAgent(name, peer, running, discover(name, peer, settings.timeout()));
    } catch (RuntimeException e) {
      peer.close();
      throw e;
    }
  }

  /** Returns the methods that the service may call: its questions. */
  private static Service questions(RunningTasks running) {
    return Service.builder()
        .method(ASK, Lane.CONCURRENT, call -> {
          Json params = call.params() == null ? Json.EMPTY_OBJECT : call.params();
          String message = params.string("message");
          if (message == null) {
            throw new RpcException(RpcError.INVALID_PARAMS, "Invalid params", "message is missing");
          }
          Json schema = params.get("schema");
          Json id = params.get("id");
          CompletableFuture<Answer> asked = id == null || id.isNull()
              ? running.ask(message, schema, NAMING)
              : running.ask(id(id), message, schema);
          return asked.thenApply(JsonRpcAgent::members);
        })
        .build();
  }

  private static Id id(Json literal) {
    try {
      return Id.of(literal);
    } catch (IllegalArgumentException e) {
      throw new RpcException(
          RpcError.INVALID_PARAMS, "Invalid params", "id is not the id of a request");
    }
  }

  private static Map<String, @Nullable Object> members(Answer answer) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("granted", answer.granted());
    members.put("content", answer.content());
    members.put("reason", answer.reason());
    return members;
  }

  private static List<RemoteMethod> discover(String name, Peer peer, Duration timeout) {
    Json document;
    try {
      document = peer.request("rpc.discover").timeout(timeout).call(Json.class);
    } catch (RpcException e) {
      if (e.code() == RpcError.METHOD_NOT_FOUND) {
        return List.of();
      }
      throw e;
    }
    return RemoteMethod.describedBy(document, "the answer of '" + name + "' to rpc.discover")
        .stream()
        .filter(method -> !method.stream() && !method.notification())
        .limit(AgentConnector.MOST_SKILLS)
        .toList();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return "";
  }

  @Override
  public List<Skill> skills() {
    return skills;
  }

  @Override
  public CompletableFuture<Json> run(Task task) {
    String method = Skills.chosen(task, skills);
    if (method == null) {
      return Skills.missing(name, skills);
    }
    Duration left = task.timeLeft();
    CallBuilder call = peer.request(method)
        .timeout(left == null ? Duration.ZERO : left.isZero() ? Duration.ofMillis(1) : left)
        .independent() // a run may outlive the call that has started it
        .onProgress(value -> task.progress(progress(value)));
    Json params = params(method, task.input());
    if (params != null) {
      call.params(params);
    }
    CompletableFuture<Json> output = running.add(task, call); // first: the service may ask now
    CallFuture<Json> sent;
    try {
      sent = call.send(Json.class);
    } catch (RuntimeException e) {
      output.completeExceptionally(e);
      return output;
    }
    SchemaValidator schema = outputs.get(method);
    sent.whenComplete((result, failure) -> {
      if (failure != null) {
        output.completeExceptionally(failure);
      } else if (schema == null) {
        output.complete(result);
      } else {
        checks.execute(() -> check(method, result, schema, output));
      }
    });
    output.whenComplete((json, failure) -> sent.cancel(true));
    return output;
  }

  /** Returns the params for an input; null for a call without params. */
  private @Nullable Json params(String method, Json input) {
    return switch (input.kind()) {
      case OBJECT -> methods.getOrDefault(method, RemoteMethod.unknown(method)).params(input);
      case ARRAY -> input;
      case NULL -> null;
      default -> Json.of(List.of(input));
    };
  }

  private static void check(
      String method, Json result, SchemaValidator schema, CompletableFuture<Json> output) {
    String fault = schema.faultIfKnown(result, () -> {});
    if (fault == null) {
      output.complete(result);
    } else {
      output.completeExceptionally(new AgentException(
          Failure.Kind.SCHEMA,
          "the result of '" + method + "' does not fit the schema of the service: " + fault));
    }
  }

  /** Converts a progress value: a number, a text, or an object with the members of MCP. */
  private static Progress progress(Json value) {
    return switch (value.kind()) {
      case NUMBER -> new Progress(number(value), null, null);
      case STRING -> Progress.of(value.as(String.class));
      case OBJECT -> {
        Progress read = new Progress(
            number(value.get("progress")), number(value.get("total")), value.string("message"));
        yield read.done() == null && read.message() == null ? Progress.of(shortened(value)) : read;
      }
      default -> Progress.of(shortened(value));
    };
  }

  private static String shortened(Json value) {
    return Text.shortened(value.toString(), 200);
  }

  private static @Nullable Double number(@Nullable Json value) {
    if (value == null || value.kind() != Json.Kind.NUMBER) {
      return null;
    }
    double number = value.as(BigDecimal.class).doubleValue();
    return Double.isFinite(number) ? number : null;
  }

  @Override
  public void close() {
    peer.close();
  }
}
