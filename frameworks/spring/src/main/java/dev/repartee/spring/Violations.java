package dev.repartee.spring;

import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.ElementKind;
import jakarta.validation.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Turns violations of the constraints of parameters into an error with the places, in the form of
 * the module {@code repartee-validation}.
 */
final class Violations {
  private static final int MOST = 20;
  private static final int KEY = 64;

  private Violations() {}

  /**
   * Returns an error, or null if the violations are not of the caller: of a result, or of another
   * bean that the method has called.
   *
   * @param served whether a class is that of a served bean
   */
  static @Nullable RpcError error(
      ConstraintViolationException failure, Predicate<Class<?>> served) {
    boolean ofCaller = !failure.getConstraintViolations().isEmpty()
        && failure.getConstraintViolations().stream()
            .allMatch(v -> served.test(v.getRootBeanClass()) && isOfParameter(v));
    if (!ofCaller) {
      return null;
    }
    List<Map<String, String>> data = failure.getConstraintViolations().stream()
        .map(violation -> entry(path(violation), violation.getMessage()))
        .sorted(Comparator.comparing((Map<String, String> entry) -> entry.get("path"))
            .thenComparing(entry -> entry.get("message")))
        .limit(MOST)
        .toList();
    return new RpcError(RpcError.INVALID_PARAMS, "Invalid params", Json.of(data));
  }

  private static Map<String, String> entry(String path, String message) {
    Map<String, String> entry = new LinkedHashMap<>(); // in this order on the wire
    entry.put("path", path);
    entry.put("message", message);
    return entry;
  }

  private static Stream<Path.Node> nodes(ConstraintViolation<?> violation) {
    return StreamSupport.stream(violation.getPropertyPath().spliterator(), false);
  }

  private static boolean isOfParameter(ConstraintViolation<?> violation) {
    return nodes(violation)
        .anyMatch(node -> node.getKind() == ElementKind.PARAMETER
            || node.getKind() == ElementKind.CROSS_PARAMETER);
  }

  private static String shortened(String key) {
    if (key.length() <= KEY) {
      return key;
    }
    // Half of a character is no text, and other sides refuse the whole message because of it.
    int end = Character.isHighSurrogate(key.charAt(KEY - 1)) ? KEY - 1 : KEY;
    return key.substring(0, end) + "...";
  }

  private static String path(ConstraintViolation<?> violation) {
    StringBuilder path = new StringBuilder();
    nodes(violation).forEach(node -> {
      if (node.isInIterable()) {
        Object at = node.getIndex() == null ? node.getKey() : node.getIndex();
        String key = Objects.toString(at, "");
        path.append('[').append(shortened(key)).append(']');
      }
      if (node.getKind() == ElementKind.PROPERTY || node.getKind() == ElementKind.PARAMETER) {
        path.append(path.isEmpty() ? "" : ".").append(node.getName());
      }
    });
    return path.toString();
  }
}
