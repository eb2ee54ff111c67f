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
  ECHO_64K("echo", 64 << 10);

  /** The number of ids: from 100 on, so that each has three digits. */
  static final int IDS = 900;

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

  private static int id(int i) {
    return FIRST_ID + i % IDS;
  }
}
