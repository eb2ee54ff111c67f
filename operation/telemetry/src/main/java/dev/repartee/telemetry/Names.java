package dev.repartee.telemetry;

import dev.repartee.Call;
import dev.repartee.RefusedCall;
import dev.repartee.RpcMethod;
import dev.repartee.internal.PerName;
import dev.repartee.internal.Text;

/**
 * The names that are values of a tag, up to a maximum number: a peer may choose any number of names,
 * and a metric keeps a series for each. All other names are {@link #OTHER}. Thread-safe.
 */
final class Names {
  /** The value of the tag for all names that have no value. */
  static final String OTHER = "_OTHER";

  /** The maximum number of methods, tools or prompts that are values of a tag. */
  static final int METHODS = 1000;

  /** The maximum number of error types that are values of a tag. */
  static final int ERRORS = 100;

  private final PerName<String> admitted;

  /** Creates an empty set for that many names. */
  Names(int max) {
    admitted = new PerName<>(max, name -> name, OTHER);
  }

  /** Returns the name, which is added if there is room, or {@link #OTHER}. */
  String admit(String name) {
    return admitted.of(name);
  }

  /** Returns the name if it was admitted before, or {@link #OTHER}. */
  String known(String name) {
    return admitted.known(name);
  }

  /**
   * Returns the method of an outgoing call, or {@link #OTHER}. Adds a name only if an answer
   * shows that the method exists, because clients of a bridge choose the names of its calls.
   * Notifications and cancelled calls have no answer.
   */
  String called(Call call, Outcome outcome) {
    boolean exists = !call.isNotification() && outcome.isAnswered() && !outcome.isRefusal();
    return exists ? admit(call.method()) : known(call.method());
  }

  /** Returns the method of a call if the service has it under its name, or {@link #OTHER}. */
  static String served(Call call) {
    RpcMethod method = call.rpcMethod();
    return method != null && method.isServed() ? call.method() : OTHER;
  }

  /** Returns the method of a refused call if the service has it under its name, or {@link #OTHER}. */
  static String served(RefusedCall call) {
    String method = call.method();
    return method != null && call.isKnown() ? method : OTHER;
  }

  /** Returns the method of a call for a span, or {@link #OTHER}. */
  static String ofSpan(Call call, boolean served) {
    if (served) {
      return served(call);
    }
    return call.method().length() <= PerName.LENGTH ? call.method() : OTHER;
  }

  /** Returns text of a peer for a span, which may be cut. */
  static String cut(String text) {
    return Text.cut(text, PerName.LENGTH);
  }
}
