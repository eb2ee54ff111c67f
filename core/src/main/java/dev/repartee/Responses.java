package dev.repartee;

import dev.repartee.internal.Bytes;
import dev.repartee.json.Json;
import dev.repartee.json.UnsafeJson;
import dev.repartee.message.Id;
import dev.repartee.message.ParsedFrame;
import dev.repartee.transport.Lenience;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The receiving part of a {@link Caller}: delivers responses and progress notifications to the
 * pending calls. For the reader.
 */
final class Responses {
  private final PendingCalls calls;
  private final Options options;
  private final Consumer<String> violation;

  /** Creates the part; {@code violation} reports a violation to the listener. */
  Responses(PendingCalls calls, Options options, Consumer<String> violation) {
    this.calls = calls;
    this.options = options;
    this.violation = violation;
  }

  /**
   * Completes a call with the response at index {@code i} of the frame. Reports a violation to the
   * listener if the response belongs to no call.
   */
  void accept(ParsedFrame in, int i) {
    long id = PendingCalls.id(in.bytes(), in.idFrom(i), in.idTo(i));
    Pending<?> pending = calls.answer(id);
    if (pending == null && isNull(in, i) && in.errorFrom(i) != in.errorTo(i)) {
      pending = unreadable();
    }
    if (pending != null) {
      pending.answer(in, i);
    } else if (calls.isOpen() && !calls.wasGivenUp(id)) { // a close fails all calls
      report(in, i);
    }
  }

  /**
   * Removes the call to which an error without an id belongs; null if that is not known. A server
   * that answers in order, and ends the connection after a request that it cannot read, has
   * answered all earlier ones.
   */
  private @Nullable Pending<?> unreadable() {
    if (options.dialect().answersInOrder() && options.dialect().endsAfterInvalid()) {
      return calls.answerFirst();
    }
    return options.lenience().contains(Lenience.NULL_ID_FAILS_LONE_CALL)
        ? calls.answerLone()
        : null;
  }

  private static boolean isNull(ParsedFrame in, int i) {
    return in.idFrom(i) == in.idTo(i) || in.bytes()[in.idFrom(i)] == 'n';
  }

  private void report(ParsedFrame in, int i) {
    boolean isError = in.errorFrom(i) != in.errorTo(i);
    String reason = in.reason();
    String what = reason != null
        ? "not a valid response, " + reason
        : !isNull(in, i)
            ? "a response to no pending call: id " + in.id(i)
            : isError
                ? "an error without an id: "
                    + UnsafeJson.copy(in.bytes(), in.errorFrom(i), in.errorTo(i))
                : "a result without an id: "
                    + Bytes.excerpt(in.bytes(), in.resultFrom(i), in.resultTo(i));
    violation.accept(what);
  }

  /** Delivers a progress notification to the call that it names, if that call is still pending. */
  void progress(Json params) {
    Id id = options.dialect().progressed(params);
    Json value = options.dialect().progress(params);
    if (id != null && value != null) {
      Pending<?> pending = calls.find(id.json());
      if (pending != null && pending.progress != null) {
        pending.progress.accept(value);
      }
    }
  }
}
