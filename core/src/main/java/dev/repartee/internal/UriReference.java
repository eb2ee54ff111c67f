package dev.repartee.internal;

import java.net.URI;

/** Resolves references to addresses, such as the field {@code Location} of HTTP. */
public final class UriReference {
  private UriReference() {}

  /**
   * Resolves a reference (RFC 3986 section 5.2.2). {@link URI#resolve} removes the last segment of
   * the path if the reference is empty or has only a query, and adds no slash behind a host.
   *
   * @throws IllegalArgumentException if the reference is not valid
   */
  public static URI resolve(URI base, String reference) {
    if (reference.isEmpty()) {
      return base;
    }
    if (reference.startsWith("?")) {
      return URI.create(base.toString().replaceFirst("[?#].*", "") + reference);
    }
    boolean bare = base.getRawPath() == null || base.getRawPath().isEmpty();
    return (bare ? base.resolve("/") : base).resolve(reference);
  }
}
