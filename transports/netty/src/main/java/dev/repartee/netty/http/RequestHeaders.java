package dev.repartee.netty.http;

import dev.repartee.internal.LatestDigest;
import dev.repartee.internal.RepeatedFields;
import dev.repartee.transport.Attributes;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import java.util.AbstractMap;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Header fields as an immutable map with case-insensitive keys. The values of fields with the same
 * name are joined by commas (RFC 9110 section 5.3). The whole map is built only if it is iterated.
 */
public final class RequestHeaders extends AbstractMap<String, String> implements RepeatedFields {
  private final HttpHeaders headers;
  private final LatestDigest latestDigest;
  private volatile @Nullable Map<String, String> all;

  /**
   * Creates a view of these fields.
   *
   * @param latestDigest of the connection
   */
  public RequestHeaders(HttpHeaders headers, LatestDigest latestDigest) {
    this.headers = headers;
    this.latestDigest = latestDigest;
  }

  /**
   * Returns the attributes of the calls in a request.
   *
   * @param connection the attributes of its connection
   * @param headers the header fields of the request
   */
  public static Attributes attributes(
      Attributes connection, HttpRequest request, RequestHeaders headers) {
    Attributes facts = connection.with(dev.repartee.transport.http.HttpRequest.HEADERS, headers);
    int query = request.uri().indexOf('?');
    return query < 0
        ? facts
        : facts.with(
            dev.repartee.transport.http.HttpRequest.QUERY, request.uri().substring(query + 1));
  }

  /** Returns the attributes of the calls on a WebSocket that this side has opened. */
  public static Attributes attributes(Attributes connection, HttpResponse response) {
    return connection.with(
        dev.repartee.transport.http.HttpRequest.HEADERS,
        new RequestHeaders(response.headers().copy(), new LatestDigest()));
  }

  @Override
  public LatestDigest latestDigest() {
    return latestDigest;
  }

  @Override
  public @Nullable String get(@Nullable Object key) {
    List<String> values = key instanceof String name ? headers.getAll(name) : List.of();
    return switch (values.size()) {
      case 0 -> null;
      case 1 -> values.get(0); // without the copy that join makes of it
      default -> String.join(", ", values);
    };
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    return key instanceof String name && headers.contains(name);
  }

  @Override
  public Set<Entry<String, String>> entrySet() {
    Map<String, String> known = all;
    if (known == null) {
      Map<String, String> joined = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      headers.forEach(e -> joined.merge(e.getKey(), e.getValue(), (a, b) -> a + ", " + b));
      known = Collections.unmodifiableMap(joined);
      all = known;
    }
    return known.entrySet();
  }
}
