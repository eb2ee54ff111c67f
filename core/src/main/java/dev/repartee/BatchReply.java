package dev.repartee;

import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.message.RpcError;
import dev.repartee.transport.OutboundFrame;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a batch: collects the responses and sends them as one array, in the order of the
 * requests, when the last one is complete (JSON-RPC 2.0 section 6). Sends nothing if there is no
 * response, as for a batch of notifications.
 */
final class BatchReply {
  /*
   * Implementation note. Every expected response calls put() once, on the reader, a worker, the
   * sweeper or the thread of a stage. The call that brings the field missing to 0 sends the reply;
   * send() runs outside the lock, and nothing changes the fields after that.
   *
   * missing starts with one more than the number of responses, and allDispatched() releases the
   * extra one. An inline element is answered while later elements are still being dispatched;
   * without the extra count, the reply could be sent too early. The extra count also completes the
   * reply of a batch without any response.
   *
   * This object guards answers, share, missing, size and refusal. When the responses together
   * exceed frameBytes or the memory budget for unsent answers, the whole reply becomes one error
   * and the responses collected so far are released immediately. Only the memory is released early:
   * the error is sent when the last element is complete.
   */

  /** The size of the responses, in bytes, up to which they are not charged to the memory budget. */
  private static final int FREE = 16 << 10;

  private final Connection connection;
  private final byte[] @Nullable [] answers;
  private final MemoryBudget.Share share = MemoryBudget.ofAnswers().share(FREE);
  private int missing;
  private long size;

  /** The error that replaces the whole reply; null if the responses are sent. */
  private @Nullable RpcError refusal;

  /** Creates a reply with {@code answers} expected responses. */
  BatchReply(Connection connection, int answers) {
    this.connection = connection;
    this.answers = new byte[answers][];
    this.missing = answers + 1;
  }

  /**
   * Stores the response to one request; null if the request gets no response. Sends the reply if
   * this was the last response. Throws nothing.
   */
  void put(int slot, byte @Nullable [] answer) {
    synchronized (this) {
      if (answer != null && refusal == null) {
        try {
          store(slot, answer);
        } catch (Throwable e) { // the dialect failed to create the error, or memory is exhausted
          refuse(Errors.INTERNAL);
        }
      }
    }
    countDown();
  }

  private void store(int slot, byte[] answer) {
    size += answer.length + 1L;
    int max = connection.options().limits().frameBytes();
    if (size >= max) {
      refuse(ResponseWriter.tooLarge(new LimitException("frameBytes", max)));
    } else if (!share.hold(size)) {
      refuse(connection.busy(share.refusal()));
    } else {
      answers[slot] = answer;
    }
  }

  private void refuse(RpcError error) {
    refusal = error;
    Arrays.fill(answers, null);
    share.hold(0);
  }

  /** Reports that all elements of the batch were dispatched. */
  void allDispatched() {
    countDown();
  }

  private void countDown() {
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
      connection.error(error);
      return;
    }
    OutboundFrame out = null;
    boolean any = false;
    try {
      out = connection.sink().open();
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
      if (out != null) {
        connection.discard(out);
      }
      connection.error(
          e instanceof LimitException limit ? ResponseWriter.tooLarge(limit) : Errors.INTERNAL);
      return;
    }
    if (any) {
      connection.commit(out, false);
    } else {
      connection.discard(out);
    }
  }
}
