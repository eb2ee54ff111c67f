package dev.repartee.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;

/** The called method and its messages. Requests differ only in the digits of their id. */
public enum Workload {
  /** Two small numbers in the request, one in the answer. */
  SUBTRACT("subtract", "[42,23]", "19"),
  /** 1 KiB, returned without binding. */
  ECHO_1K_RAW("echoRaw", 1 << 10),
  /** 1 KiB bound to records, and written again. */
  ECHO_1K("echo", 1 << 10),
  /** 64 KiB, returned without binding. */
  ECHO_64K_RAW("echoRaw", 64 << 10),
  /** 64 KiB bound to records, and written again. */
  ECHO_64K("echo", 64 << 10),
  /**
   * Notifications to the server: {@link #NOTIFICATIONS}, then a request on the same connection,
   * which fails unless all of them were received before it.
   */
  NOTIFY("noted", "[]", "100"),
  /**
   * Notifications from the server: a request asks the server for them, and is answered after the
   * last one.
   */
  PUSH("push", "[100]", "100"),
  /** A handler that sleeps 1 ms. All calls are sent together, and again when all are answered. */
  SLEEP("sleep", "[1]", "1");

  /** The number of ids; they start at 100, because each must have three digits. */
  static final int IDS = 900;

  /** The notifications between one answer and the next. */
  public static final int NOTIFICATIONS = 100;

  private static final int FIRST_ID = 100;

  private final String method;
  private final int size;
  private final String params;
  private final String result;

  Workload(String method, String params, String result) {
    this.method = method;
    this.size = 0;
    this.params = params;
    this.result = result;
  }

  Workload(String method, int size) {
    this.method = method;
    this.size = size;
    String document = Json.of(Document.ofSize(size)).toString();
    this.params = "[" + document + "]";
    this.result = method.equals("echo") ? document : params;
  }

  /** Returns its name in tables and patterns. */
  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }

  public static Workload of(String label) {
    for (Workload workload : values()) {
      if (workload.label().equals(label)) {
        return workload;
      }
    }
    throw new IllegalArgumentException("there is no workload '" + label + "'");
  }

  /** Returns whether the server binds and writes records. */
  public boolean isTyped() {
    return method.equals("echo");
  }

  /** Returns whether the server returns the params without binding them. */
  public boolean isRaw() {
    return method.equals("echoRaw");
  }

  /** Returns whether calls are sent in waves: the next wave when all calls are answered. */
  boolean isWave() {
    return this == SLEEP;
  }

  /** Returns the payload of an echo. */
  public Document document() {
    return Document.ofSize(size);
  }

  /** Returns the {@code i}th request, without a line end. */
  public byte[] request(int i) {
    String text = "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":%s,\"id\":%d}";
    return String.format(text, method, params, id(i)).getBytes(UTF_8);
  }

  /** Returns the answer to the {@code i}th request, without a line end. */
  public byte[] answer(int i) {
    String text = "{\"jsonrpc\":\"2.0\",\"result\":%s,\"id\":%d}";
    return String.format(text, result, id(i)).getBytes(UTF_8);
  }

  /** Returns a notification, to the server or from it. */
  byte[] notification() {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"note\",\"params\":[42,23]}".getBytes(UTF_8);
  }

  /** Returns the number of notifications before a request. */
  int sentBefore() {
    return this == NOTIFY ? NOTIFICATIONS : 0;
  }

  /** Returns the number of notifications before an answer. */
  int receivedBefore() {
    return this == PUSH ? NOTIFICATIONS : 0;
  }

  /**
   * Returns the number of calls that one answer counts for: the notifications, if there are any.
   */
  int calls() {
    return Math.max(1, sentBefore() + receivedBefore());
  }

  private static int id(int i) {
    return FIRST_ID + i % IDS;
  }
}
