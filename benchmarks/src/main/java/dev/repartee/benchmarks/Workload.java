package dev.repartee.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;

/** What is called. Requests differ in the digits of their id alone, so all have the same length. */
enum Workload {
  /** Two small numbers there, one back. */
  SUBTRACT("subtract", "[42,23]", "19"),
  /** 1 KiB handed back as it came. */
  ECHO_1K_RAW("echoRaw", 1 << 10),
  /** 1 KiB bound to records, and written again. */
  ECHO_1K("echo", 1 << 10),
  /** 64 KiB handed back as it came. */
  ECHO_64K_RAW("echoRaw", 64 << 10),
  /** 64 KiB bound to records, and written again. */
  ECHO_64K("echo", 64 << 10),
  /**
   * Notifications to the server: so many, then a request on the same connection, which fails unless
   * all of them were taken before it.
   */
  NOTIFY("noted", "[]", "100"),
  /** Notifications from the server: a request asks for so many, and is answered after the last. */
  PUSH("push", "[100]", "100"),
  /** A handler that sleeps a millisecond: all calls leave at once, and again when all are answered. */
  SLEEP("sleep", "[1]", "1");

  /** The number of ids: from 100 on, so that each has three digits. */
  static final int IDS = 900;

  /** The notifications between one answer and the next. */
  static final int NOTIFICATIONS = 100;

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

  /** How it is named in tables and patterns. */
  String label() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }

  static Workload of(String label) {
    for (Workload workload : values()) {
      if (workload.label().equals(label)) {
        return workload;
      }
    }
    throw new IllegalArgumentException("there is no workload '" + label + "'");
  }

  /** Whether the server binds and writes records. */
  boolean isTyped() {
    return method.equals("echo");
  }

  /** Whether the server hands back what it got without a look at it. */
  boolean isRaw() {
    return method.equals("echoRaw");
  }

  /** Whether calls leave all at once, and the next ones only when all of them are answered. */
  boolean isWave() {
    return this == SLEEP;
  }

  /** What an echo carries. */
  Document document() {
    return Document.ofSize(size);
  }

  /** The {@code i}th request, without a line end. */
  byte[] request(int i) {
    String text = "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":%s,\"id\":%d}";
    return String.format(text, method, params, id(i)).getBytes(UTF_8);
  }

  /** The answer to it, without a line end. */
  byte[] answer(int i) {
    String text = "{\"jsonrpc\":\"2.0\",\"result\":%s,\"id\":%d}";
    return String.format(text, result, id(i)).getBytes(UTF_8);
  }

  /** A notification, to the server or from it. */
  byte[] notification() {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"note\",\"params\":[42,23]}".getBytes(UTF_8);
  }

  /** How many of them go before a request. */
  int sentBefore() {
    return this == NOTIFY ? NOTIFICATIONS : 0;
  }

  /** How many of them come before an answer. */
  int receivedBefore() {
    return this == PUSH ? NOTIFICATIONS : 0;
  }

  /** What one answer counts for: the notifications, where there are any. */
  int calls() {
    return Math.max(1, sentBefore() + receivedBefore());
  }

  private static int id(int i) {
    return FIRST_ID + i % IDS;
  }
}
