package shop;

import dev.repartee.message.Dialect;
import java.util.OptionalInt;

/** JSON-RPC 2.0, where two errors are the status of the HTTP response, too. */
final class StatusDialect implements Dialect {
  static final int UNAUTHENTICATED = 401;
  static final int FORBIDDEN = 403;

  @Override
  public int httpStatus(OptionalInt errorCode) {
    int code = errorCode.orElse(200);
    return code == UNAUTHENTICATED || code == FORBIDDEN ? code : 200;
  }
}
