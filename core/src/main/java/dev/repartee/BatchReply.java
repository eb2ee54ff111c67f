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

  /** Takes the answer to one request, or null where it is not answered after all. Throws nothing. */
  void put(int slot, byte @Nullable [] answer) {
    synchronized (this) {
      if (answer != null && refusal == null) {
        try {
          keep(slot, answer);
        } catch (Throwable e) { // of the dialect, which words the refusal, or for lack of memory
          refuse(RpcError.INTERNAL);
        }
      }
    }
    done();
  }

  private void keep(int slot, byte[] answer) {
    size += answer.length + 1L;
    int max = responder.options().limits().frameBytes();
    if (size >= max) {
      refuse(Responder.tooLarge(new LimitException("frameBytes", max)));
    } else if (!share.hold(size)) {
      refuse(responder.busy(share.refusal()));
    } else {
      answers[slot] = answer;
    }
  }

  private void refuse(RpcError error) {
    refusal = error;
    Arrays.fill(answers, null);
    share.hold(0);
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
    RpcError error = refusal;
    if (error != null) {
      responder.error(error);
      return;
    }
    Output out = null;
    boolean any = false;
    try {
      out = responder.open(false);
      for (byte @Nullable [] answer : answers) {
        if (answer != null) {
          out.put(any ? ',' : '[').raw(answer);
          any = true;
        }
      }
      if (any) {
        out.put(']');
      }
    } catch (Throwable e) {
      responder.discard(out, false);
      responder.error(
          e instanceof LimitException limit ? Responder.tooLarge(limit) : RpcError.INTERNAL);
      return;
    }
    if (any) {
      responder.commit(out);
    } else {
      responder.discard(out, false);
    }
  }
}
