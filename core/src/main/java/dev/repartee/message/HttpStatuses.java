package dev.repartee.message;

import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Plain JSON-RPC 2.0, where some errors are the HTTP status of the response, too. */
final class HttpStatuses implements Dialect {
  private static final int OK = 200;

  private final Set<Integer> errorCodes;

  HttpStatuses(int... errorCodes) {
    for (int code : errorCodes) {
      if (code < 400 || code > 599) {
        throw new IllegalArgumentException("not the status of an HTTP error: " + code);
      }
    }
    this.errorCodes = IntStream.of(errorCodes).boxed().collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public int httpStatus(OptionalInt errorCode) {
    int code = errorCode.orElse(OK);
    return errorCodes.contains(code) ? code : OK;
  }
}
