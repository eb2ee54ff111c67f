package dev.repartee.security;

import dev.repartee.access.Authenticator;
import org.jspecify.annotations.Nullable;

/** An authenticator of this module that names the place of its credentials. */
interface FieldAuthenticator extends Authenticator {
  /** The place of credentials that a caller does not choose for each request. */
  String CONNECTION = "";

  /**
   * Returns the place of the credentials: the name of the header field, with the scheme if the field
   * has several, or {@link #CONNECTION}; null if it is not known.
   */
  @Nullable String field();

  /** An authenticator for a proof of the connection. */
  interface OfConnection extends FieldAuthenticator {
    @Override
    default String field() {
      return CONNECTION;
    }
  }

  /** Returns the place of the credentials; null if it is not known. */
  static @Nullable String of(Authenticator authenticator) {
    return authenticator instanceof FieldAuthenticator known
        ? known.field()
        : authenticator instanceof Sessions ? CONNECTION : null;
  }
}
