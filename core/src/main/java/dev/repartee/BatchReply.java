package dev.repartee;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The answers of one batch on their way: sent as one array, in the order of the requests, when the
 * last is there (JSON-RPC 2.0 section 6). Nothing is sent where nothing was to be answered.
 */
final class BatchReply {
  /** Answers of no more bytes than that are not counted as held. */
  private static final int FREE = 16 << 10;

  private final Responder responder;
  private final byte[] @Nullable [] answers;
  private final HeldBytes.Share share = HeldBytes.ofAnswers().share(FREE);
  private int missing;
  private long size;

  /** Why there is no answer but an error: what was answered before is not kept then. */
  private @Nullable RpcError refusal;

  /** One more than the answers is awaited: {@link #unrolled()}. */
  BatchReply(Responder responder, int answers) {
    this.responder = responder;
    this.answers = new byte[answers][];
    this.missing = answers + 1;
  }

  /** Takes the answer to one request, or null where it is not answered after all. */
  void put(int slot, byte @Nullable [] answer) {
    synchronized (this) {
      if (answer != null && refusal == null) {
        keep(slot, answer);
      }
    }
    done();
  }

  private void keep(int slot, byte[] answer) {
    size += answer.length + 1L;
    int max = responder.options().limits().frameBytes();
    if (size >= max) {
      refusal = Responder.tooLarge(new LimitException("frameBytes", max));
    } else if (!share.hold(size)) {
      refusal = responder.busy(share.refusal());
    }
    if (refusal == null) {
      answers[slot] = answer;
    } else {
      Arrays.fill(answers, null);
      share.hold(0);
    }
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
      share.hold(0);
    }
    send();
  }

  private void send() {
    if (refusal != null) {
      responder.error(refusal);
      return;
    }
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
