package dev.repartee.openrpc.mock;

import dev.repartee.Call;
import dev.repartee.Layer;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.openrpc.ContentDescriptor;
import dev.repartee.openrpc.ExamplePairing;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcLayer;
import dev.repartee.openrpc.StreamDescriptor;
import dev.repartee.openrpc.schema.SchemaValidator.Fault;
import dev.repartee.stream.Streaming;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A service with the methods of an OpenRPC document, which answers without an implementation: for
 * tests of clients, and to try an API that does not exist yet.
 *
 * <p>Params are checked as {@link OpenRpcLayer} does. The answer is the result of the example with
 * the same params, otherwise the result of the first example, otherwise a value that fits the
 * schema of the result. Examples with results that do not fit are not used. A method with a stream
 * sends this value several times. Notifications are accepted.
 *
 * <p>A value is generated once for each result, when the service is made, and validated: the same
 * calls have the same answers. Values that the schema states have precedence: {@code const} and
 * {@code enum}, then {@code default} and {@code examples}. Optional members are generated to a
 * small depth, and a schema within itself ends there.
 *
 * <p>If no value is found for a schema, calls of the method fail with -32603 and the data {@code
 * {"pointer":"/methods/0/result/schema","reason":"..."}}; {@link MockOptions#warnings} reports such
 * methods. The time and memory of the search are limited, for each value and for the document.
 */
public final class MockService {
  /** The methods that this library offers itself. */
  private static final Set<String> OFFERED =
      Set.of("rpc.ping", "rpc.status", "rpc.cancel", "rpc.discover");

  private static final String DISCOVER = "rpc.discover";

  private final OpenRpc document;
  private final MockOptions options;
  private final Layer checks;
  private final Samples samples;

  private MockService(OpenRpc document, MockOptions options) {
    this.document = document;
    this.options = options;
    this.checks =
        OpenRpcLayer.builder(document).results(OpenRpcLayer.Results.UNCHECKED).build();
    this.samples = new Samples(document, options.seed());
  }

  /**
   * Returns the service of a document, with the title and version of the document. Methods with
   * reserved names are left out.
   *
   * @throws dev.repartee.openrpc.OpenRpcException if no value fits the schema of a result
   */
  public static Service of(OpenRpc document, MockOptions options) {
    return new MockService(document, options).service();
  }

  /** Returns a layer that answers {@code rpc.discover} with a document. */
  public static Layer discovery(OpenRpc document) {
    return (call, next) -> call.method().equals(DISCOVER) ? document.json() : next.handle(call);
  }

  private Service service() {
    Service.Builder service = Service.builder();
    Set<String> unsubscribe = new HashSet<>();
    for (MethodDescriptor method : document.methods()) {
      Streaming streaming = streaming(method);
      if (streaming != null) {
        unsubscribe.add(streaming.unsubscribe());
      }
    }
    for (MethodDescriptor method : document.methods()) {
      if (method.name().startsWith("rpc.")) {
        if (!OFFERED.contains(method.name())) {
          options.warn(method.name(), "it is not served, since its name is reserved");
        }
      } else if (!unsubscribe.contains(method.name())) { // otherwise the library serves it
        service.add(method(method));
      }
    }
    return service.build().described(document.info().title(), document.info().version());
  }

  private RpcMethod method(MethodDescriptor method) {
    Answers answers = answers(method);
    samples.forget();
    RpcMethod.Builder builder = RpcMethod.builder(method.name()).idempotent();
    String text = method.summary() == null ? method.description() : method.summary();
    if (text != null) {
      builder.description(text);
    }
    Streaming streaming = streaming(method);
    return streaming == null
        ? builder.handler(call -> checks.handle(call, answers::result))
        : builder
            .streaming(streaming)
            .streamHandler(
                Json.class,
                Json.class,
                (params, call) -> checks.handle(
                    call,
                    each -> Collections.nCopies(options.items(), answers.result(each))
                        .iterator()));
  }

  /** Returns the form of a stream; null for a single result. */
  private static @Nullable Streaming streaming(MethodDescriptor method) {
    StreamDescriptor stream = method.stream();
    if (stream == null) {
      return null;
    }
    String notification = stream.notification();
    String unsubscribe = stream.unsubscribe();
    return switch (stream.form()) {
      case "partialResults" -> Streaming.partialResults();
      case "subscription" ->
        notification == null
                || unsubscribe == null
                || notification.isEmpty()
                || unsubscribe.isEmpty()
            ? Streaming.DEFAULT
            : Streaming.subscription(notification, unsubscribe);
      default -> Streaming.DEFAULT;
    };
  }

  /**
   * The answers of a method.
   *
   * @param value the answer if there are no examples; null for a notification
   * @param reason the reason that there is no answer
   */
  private record Answers(
      Examples examples, @Nullable Json value, @Nullable NoValueException reason) {
    @Nullable Json result(Call call) {
      Json example = examples.result(call.params());
      if (example != null) {
        return example;
      }
      if (reason != null) {
        Map<String, String> data = new LinkedHashMap<>(); // in this order on the wire
        data.put("pointer", reason.pointer());
        data.put("reason", reason.reason());
        throw new RpcException(
            RpcError.INTERNAL_ERROR, "The mock has no value for the result", Json.of(data));
      }
      return value;
    }
  }

  private Answers answers(MethodDescriptor method) {
    List<ContentDescriptor> params = method.params();
    Examples examples = new Examples(params == null ? List.of() : params);
    ContentDescriptor result = method.result();
    if (result == null) {
      return new Answers(examples, null, null);
    }
    boolean hasExample = false;
    for (ExamplePairing pairing : method.examples()) {
      Json given = pairing.result();
      if (given != null && fits(method, pairing, result, given)) {
        examples.add(pairing, given);
        hasExample = true;
      }
    }
    if (hasExample) {
      return new Answers(examples, null, null);
    }
    try {
      return new Answers(examples, samples.value(result), null);
    } catch (NoValueException e) {
      options.warn(method.name(), Objects.requireNonNull(e.getMessage()));
      return new Answers(examples, null, e);
    }
  }

  private boolean fits(
      MethodDescriptor method, ExamplePairing pairing, ContentDescriptor result, Json given) {
    try {
      List<Fault> faults = samples.faults(result, given);
      if (faults.isEmpty()) {
        return true;
      }
      Fault first = faults.get(0);
      options.warn(
          method.name(),
          "the result of the example '" + pairing.name() + "' does not fit its schema: "
              + (first.pointer().isEmpty() ? "" : first.pointer() + ": ") + first.reason());
      return false;
    } catch (NoValueException e) {
      return true; // the schema cannot be used
    }
  }
}
