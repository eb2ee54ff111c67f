package dev.repartee.amqp;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import dev.repartee.broker.Causes;
import org.jspecify.annotations.Nullable;

/** Explains the exceptions of the client library. */
final class Faults {
  private Faults() {}

  /** Returns the shutdown signal in the causes of an exception; null if there is none. */
  static @Nullable ShutdownSignalException shutdown(@Nullable Throwable e) {
    Throwable each = e;
    while (each != null && !(each instanceof ShutdownSignalException)) {
      each = each.getCause();
    }
    return (ShutdownSignalException) each;
  }

  /** Returns whether the broker has closed the channel with this reply code. */
  static boolean isCode(Throwable e, int code) {
    ShutdownSignalException end = shutdown(e);
    return end != null
        && end.getReason() instanceof AMQP.Channel.Close close
        && close.getReplyCode() == code;
  }

  /** Describes an alarm of the broker; during an alarm it accepts no messages. */
  static String alarm(AmqpAddress address, String reason) {
    return "the broker " + address.broker() + " accepts no messages for now: " + reason
        + "; its operator can list the alarms with 'rabbitmq-diagnostics alarms'";
  }

  /** Returns the reason from the broker, or the reason of the connection. */
  static String reason(ShutdownSignalException end) {
    Object reason = end.getReason();
    if (reason instanceof AMQP.Channel.Close close) {
      return close.getReplyText();
    }
    if (reason instanceof AMQP.Connection.Close close) {
      return close.getReplyText();
    }
    return end.getCause() == null ? "the connection has ended" : Causes.text(end.getCause());
  }
}
