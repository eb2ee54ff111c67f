package dev.repartee.broker;

import dev.repartee.framing.Receiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reports failures to the senders of messages, or to the receiver if no sender is known. Called
 * without the lock of the channel, since the reports run user code. If user code throws an
 * exception, the channel ends, and with it all calls; the failures of other messages are still
 * reported.
 */
final class Failures {
  private final String broker;
  private final Inbox inbox;
  private final Channel channel;

  /**
   * @param broker the name of the broker for error messages
   */
  Failures(String broker, Inbox inbox, Channel channel) {
    this.broker = broker;
    this.inbox = inbox;
    this.channel = channel;
  }

  /** Fails a message that was lost with its connection. */
  void lost(Transmission message, IOException why) {
    String limit = message.losses < Transmissions.TRIES
        ? ""
        : "; it is not sent again, since " + Transmissions.TRIES
            + " connections were lost before the broker had accepted it";
    failed(
        message,
        new DisconnectedException(
            "the connection to " + broker + " was lost before the answer: " + why.getMessage()
                + "; the outcome is unknown: the message may have been handled" + limit,
            why));
  }

  /** Reports to the sender of a message that it has failed; to the receiver if it has no calls. */
  void failed(Transmission message, RuntimeException why) {
    run(() -> {
      if (!message.outgoing.fail(why)) {
        report(String.valueOf(why.getMessage()));
      }
    });
  }

  /**
   * Fails the calls of a message that are not answered because of a fault of a worker.
   *
   * @param message null if it is not known
   */
  void unanswered(@Nullable Transmission message, RuntimeException fault) {
    run(() -> {
      if (message == null) {
        report(String.valueOf(fault.getMessage()));
      } else {
        message.outgoing.fail(fault);
      }
    });
  }

  /** Reports a change of the connection. */
  void notice(String event) {
    Receiver to = inbox.receiver();
    if (to != null) {
      to.notice(event);
    }
  }

  /** Reports a fault that belongs to no message. */
  void report(String fault) {
    Receiver to = inbox.receiver();
    if (to != null) {
      to.violation(fault);
    }
  }

  private void run(Runnable report) {
    try {
      report.run();
    } catch (RuntimeException | Error e) {
      channel.abort(e);
    }
  }
}
