package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * The answers of one batch on their way: sent as one array, in the order of the requests, when the
 * last is there (JSON-RPC 2.0 section 6). Nothing is sent where nothing was to be answered.
 */
final class BatchReply {
  private final Responder responder;
  private final byte[] @Nullable [] answers;
  private int missing;

  /** One more than the answers is awaited: {@link #unrolled()}. */
  BatchReply(Responder responder, int answers) {
    this.responder = responder;
    this.answers = new byte[answers][];
    this.missing = answers + 1;
  }

  /** Takes the answer to one request, or null where it is not answered after all. */
  void put(int slot, byte @Nullable [] answer) {
    answers[slot] = answer;
    done();
  }

  /** Every element was looked at. */
  void unrolled() {
    done();
  }

  private void done() {
    synchronized (this) {
      if (--missing > 0) {
        return;
      }
    }
    send();
  }

  private void send() {
    Output out = responder.outlet().open();
    char before = '[';
    try {
      for (byte @Nullable [] answer : answers) {
        if (answer != null) {
          out.put(before).raw(answer);
          before = ',';
        }
      }
      if (before == ',') {
        out.put(']');
      }
    } catch (LimitException e) {
      responder.outlet().discard(out);
      responder.error(Responder.tooLarge(e));
      return;
    }
    if (before == ',') {
      responder.commit(out);
    } else {
      responder.outlet().discard(out);
    }
  }
}
