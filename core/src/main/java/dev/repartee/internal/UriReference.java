package dev.repartee.internal;

import java.net.URI;
import java.util.regex.Pattern;

/** Resolves references to addresses, such as the field {@code Location} of HTTP. */
public final class UriReference {
  /** The segments {@code ..} at the beginning of a path, which have no segment to remove. */
  private static final Pattern SURPLUS =
      Pattern.compile("^([^:/?#]+://[^/?#]*)(?:/\\.\\.)+(?:/|(?=[?#]|$))");

  private UriReference() {}

  /**
   * Resolves a reference (RFC 3986 section 5.2). {@link URI#resolve} removes the last segment of
   * the path if the reference is empty or has only a query, adds no slash after a host, and keeps
   * the segments {@code ..} that lead above the root.
   *
   * @throws IllegalArgumentException if the reference is not valid
   */
  public static URI resolve(URI base, String reference) {
    if (reference.isEmpty()) {
      return base;
    }
    if (reference.startsWith("?") || reference.startsWith("#")) {
      String kept = reference.startsWith("?") ? "[?#].*" : "#.*";
      return URI.create(base.toString().replaceFirst(kept, "") + reference);
    }
    boolean bare = base.getRawPath() == null || base.getRawPath().isEmpty();
    URI resolved = (bare ? base.resolve("/") : base).resolve(reference);
    return URI.create(SURPLUS.matcher(resolved.toString()).replaceFirst("$1/"));
  }
}
