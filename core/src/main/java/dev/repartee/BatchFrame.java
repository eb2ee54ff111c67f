package dev.repartee;

import dev.repartee.json.JsonWriter;
import dev.repartee.message.Codec;
import dev.repartee.transport.Headers;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The content of an outgoing batch frame: all elements of a batch, except calls that were cancelled
 * or timed out before they were written.
 */
final class BatchFrame implements Unsent {
  private final List<Batch.Element> elements;
  private final List<Pending<?>> calls = new ArrayList<>();
  private boolean notifies;

  BatchFrame(List<Batch.Element> elements) {
    this.elements = elements;
  }

  /** Writes the elements. */
  void write(JsonWriter out, Codec codec, Deadlines rules) {
    char before = '[';
    for (Batch.Element element : elements) {
      Pending<?> pending = element.pending();
      if (pending == null || !pending.isGivenUpUnsent()) {
        element.call().write(out.put(before), codec, element.id(), pending, rules);
        before = ',';
        if (pending == null) {
          notifies = true;
        } else {
          calls.add(pending);
        }
      }
    }
    out.put(']');
  }

  /** Returns the calls that were written. */
  List<Pending<?>> calls() {
    return calls;
  }

  @Override
  public OutgoingMessage message(OutboundFrame text, Headers headers, Caller by) {
    return calls.isEmpty()
        ? OutgoingMessage.of(text, headers)
        : new CallMessage(text, headers, by, calls, notifies);
  }

  @Override
  public long timeLeft() {
    return elements.stream()
        .filter(element -> element.pending() != null)
        .mapToLong(element -> Objects.requireNonNull(element.pending()).timeLeft())
        .max()
        .orElse(Long.MAX_VALUE);
  }

  @Override
  public boolean isGivenUpUnsent() {
    return !notifies && calls.stream().allMatch(Pending::isGivenUpUnsent);
  }
}
