package dev.repartee.spring;

import dev.repartee.message.Dialect;
import java.util.OptionalInt;

/** JSON-RPC 2.0, where the refusals of Spring Security are the status of an HTTP response, too. */
final class HttpStatuses implements Dialect {
  /** The code of the error for a caller of unknown identity. */
  static final int UNAUTHENTICATED = 401;

  /** The code of the error for a caller without the permission. */
  static final int FORBIDDEN = 403;

  @Override
  public int httpStatus(OptionalInt errorCode) {
    int code = errorCode.orElse(200);
    return code == UNAUTHENTICATED || code == FORBIDDEN ? code : 200;
  }
}
