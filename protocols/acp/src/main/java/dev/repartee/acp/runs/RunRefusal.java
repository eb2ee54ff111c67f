package dev.repartee.acp.runs;

/** Refuses a request for a run, with the status and the code of the REST response. */
final class RunRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;

  RunRefusal(int status, String code, String message) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
  }

  int status() {
    return status;
  }

  String code() {
    return code;
  }

  RunError error() {
    return RunError.of(code, String.valueOf(getMessage()));
  }
}
