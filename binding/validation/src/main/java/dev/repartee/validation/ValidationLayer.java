package dev.repartee.validation;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.message.RpcError;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Path;
import jakarta.validation.Validator;
import jakarta.validation.ValidatorFactory;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A layer that checks calls against the constraints of Jakarta Validation, such as {@code
 * place(@NotNull @Valid Order order, @Positive int times)}. Add it with {@link
 * Options.Builder#layer}, inside layers that refuse strangers. Thread-safe.
 *
 * <p><b>Arguments</b> are checked after they were read from the params and before the method runs.
 * A violation is answered with invalid params (-32602). The data is an array of at most {@value
 * #MOST} objects, sorted by path, such as {@code {"path":"order.items[0].size","message":"must be
 * greater than 0"}}. The path begins with the name of the parameter, or with a member if the params
 * as a whole are one object; inside objects it has the names of Java's properties. The keys of maps
 * are cut after 64 characters. After {@value ViolationLimit#MAX} violations the check ends, and the
 * data states that alone. A notification with a violation is dropped, like every notification that
 * fails.
 *
 * <p><b>Results</b> are checked before they are sent, also those of a stage ({@code
 * CompletionStage<@Valid Order>}). A violation is a failure of the method: the caller gets an
 * internal error (-32603), and the {@link dev.repartee.Listener} gets an {@link
 * IllegalStateException} with the violations.
 *
 * <p>For a lambda with typed params, the params and the result are checked as if they were
 * annotated with {@code @Valid}. Not checked are static methods, to which Jakarta Validation does
 * not apply, and handlers that read the params themselves.
 */
public final class ValidationLayer implements Layer {
  private static final int MOST = 20;

  /** The maximum number of characters of a key in a path: the caller chooses the keys of maps. */
  private static final int KEY = 64;

  /** By path, then by message. */
  private static final Comparator<List<String>> ORDER = Comparator.<List<String>, String>comparing(
          violation -> violation.get(0))
      .thenComparing(violation -> violation.get(1));

  private final Validator validator;
  private final ViolationLimit limit;

  /**
   * Creates a layer with the default validator of a factory. The factory must stay open while the
   * layer is used. It should not interpolate messages with expressions that contain secrets:
   * callers see the messages.
   */
  public ValidationLayer(ValidatorFactory factory) {
    this.limit = new ViolationLimit(factory.getMessageInterpolator());
    this.validator = factory
        .usingContext()
        .addValueExtractor(new StageValues())
        .messageInterpolator(limit)
        .getValidator();
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    RpcMethod method = call.rpcMethod();
    if (method == null) {
      throw new IllegalStateException("a ValidationLayer checks the calls that this side serves:"
          + " add it with Options.Builder.layer, not with callLayer");
    }
    List<@Nullable Object> arguments = call.arguments();
    Method java = method.javaMethod();
    Object target = method.target();
    if (java == null ? arguments.isEmpty() : target == null) {
      return next.handle(call);
    }
    try {
      Set<? extends ConstraintViolation<?>> found = limit.check(() -> target == null || java == null
          ? ofBean(arguments.get(0))
          : validator.forExecutables().validateParameters(target, java, arguments.toArray()));
      if (!found.isEmpty()) {
        throw invalid(data(call, found));
      }
    } catch (ViolationLimit.Exceeded e) {
      throw invalid(List.of(entry("", ViolationLimit.MESSAGE)));
    }
    return Layer.whenDone(call, next, (result, failure) -> {
      if (failure == null) {
        requireValid(
            call,
            limit.check(() ->
                target == null || java == null ? ofBean(result) : ofResult(target, java, result)));
      }
    });
  }

  private static RpcException invalid(List<Map<String, String>> data) {
    return new RpcException(RpcError.INVALID_PARAMS, "Invalid params", data);
  }

  private Set<? extends ConstraintViolation<?>> ofBean(@Nullable Object bean) {
    return bean == null ? Set.of() : validator.validate(bean);
  }

  private Set<? extends ConstraintViolation<?>> ofResult(
      Object target, Method method, @Nullable Object result) {
    // The constraints belong to the declared type, but the result is the value of the stage.
    boolean staged = CompletionStage.class.isAssignableFrom(method.getReturnType());
    Object returned = staged ? CompletableFuture.completedFuture(result) : result;
    return validator.forExecutables().validateReturnValue(target, method, returned);
  }

  private static void requireValid(Call call, Set<? extends ConstraintViolation<?>> found) {
    if (!found.isEmpty()) {
      throw new IllegalStateException("the result of '" + call.method() + "' is not valid: "
          + found.stream()
              .map(violation -> text(path(call, violation), violation.getMessage()))
              .sorted()
              .limit(MOST)
              .collect(Collectors.joining("; ")));
    }
  }

  private static String text(String path, String message) {
    return path.isEmpty() ? message : path + ": " + message;
  }

  /**
   * Returns the violations as data of the error, sorted, with a last element for those left out.
   */
  private static List<Map<String, String>> data(
      Call call, Set<? extends ConstraintViolation<?>> found) {
    Set<List<String>> sorted = new TreeSet<>(ORDER);
    found.forEach(violation -> sorted.add(List.of(path(call, violation), violation.getMessage())));
    List<Map<String, String>> data = new ArrayList<>();
    for (List<String> violation : sorted) {
      if (data.size() == MOST) {
        data.add(entry("", "and " + (sorted.size() - MOST) + " more"));
        break;
      }
      data.add(entry(violation.get(0), violation.get(1)));
    }
    return data;
  }

  private static Map<String, String> entry(String path, String message) {
    Map<String, String> entry = new LinkedHashMap<>(); // in this order on the wire
    entry.put("path", path);
    entry.put("message", message);
    return entry;
  }

  /** Returns the place of a violation in the params or in the result. */
  private static String path(Call call, ConstraintViolation<?> violation) {
    StringBuilder path = new StringBuilder();
    for (Path.Node node : violation.getPropertyPath()) {
      if (node.isInIterable()) {
        Object at = node.getIndex() == null ? node.getKey() : node.getIndex();
        path.append('[').append(shortened(Objects.toString(at, ""))).append(']');
      }
      String name = name(call, node);
      path.append(path.isEmpty() || name.isEmpty() ? "" : ".").append(name);
    }
    return path.toString();
  }

  private static String shortened(String key) {
    if (key.length() <= KEY) {
      return key;
    }
    int end = Character.isHighSurrogate(key.charAt(KEY - 1)) ? KEY - 1 : KEY;
    return key.substring(0, end) + "...";
  }

  /** Returns the name of a node in the JSON; empty for one that only Java has. */
  private static String name(Call call, Path.Node node) {
    return switch (node.getKind()) {
      case PROPERTY -> node.getName();
      case PARAMETER -> call.argumentName(node.as(Path.ParameterNode.class).getParameterIndex());
      default -> "";
    };
  }
}
