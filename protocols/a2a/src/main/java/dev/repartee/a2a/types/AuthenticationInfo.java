package dev.repartee.a2a.types;

import org.jspecify.annotations.Nullable;

/**
 * The authentication of push notifications (section 4.3.2).
 *
 * @param scheme a scheme of HTTP, such as {@code Bearer}
 * @param credentials the text behind the scheme in the header {@code Authorization}; null for none
 */
public record AuthenticationInfo(String scheme, @Nullable String credentials) {
  /** Returns the scheme without the credentials, which are a secret. */
  @Override
  public String toString() {
    return "AuthenticationInfo[" + scheme + "]";
  }
}
