package dev.repartee.examples.traces;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request or notification with the messages that belong to it. Not changed after the pairing. */
final class Exchange {
  /**
   * A message and its place.
   *
   * @param line the number of its line, from 0 on
   */
  record Part(int line, TraceMessage message, @Nullable Stamp stamp) {}

  final Part call;

  /** The older request with the same id that was in flight too, or null. */
  final @Nullable Exchange shadowed;

  private @Nullable Part response;
  private final List<Part> others = new ArrayList<>(0);
  private boolean isEnded;

  Exchange(Part call, @Nullable Exchange shadowed) {
    this.call = call;
    this.shadowed = shadowed;
  }

  void answer(Part part) {
    if (response == null) {
      response = part;
      isEnded = true;
    } else {
      others.add(part);
    }
  }

  /** Adds a message that refers to the request: a cancellation or progress. */
  void add(Part part, boolean ends) {
    others.add(part);
    isEnded |= ends;
  }

  @Nullable Part response() {
    return response;
  }

  /** Returns whether no response is expected any more. */
  boolean isEnded() {
    return isEnded;
  }

  /** Returns the messages after the first, in order. */
  List<Part> others() {
    if (response == null) {
      return others;
    }
    List<Part> all = new ArrayList<>(others);
    all.add(response);
    all.sort((a, b) -> Integer.compare(a.line(), b.line()));
    return all;
  }

  /** Returns the duration; null if the trace has no times, or no response. */
  @Nullable String duration() {
    return response == null ? null : since(response);
  }

  /** Returns the time from the request to a later message; null if the trace has no times. */
  @Nullable String since(Part part) {
    Stamp start = call.stamp();
    Stamp end = part.stamp();
    return start == null || end == null ? null : Stamp.text(end.micros() - start.micros());
  }

  /** Returns the end of a request in a few words; empty for a notification. */
  String outcome() {
    if (!call.message().isRequest()) {
      return "";
    }
    if (response == null) {
      return isEnded ? "cancelled" : "no response";
    }
    String duration = duration();
    String error = response.message().error();
    if (error != null) {
      return duration == null ? error : error + " (" + duration + ")";
    }
    return duration == null ? "answered" : duration;
  }
}
