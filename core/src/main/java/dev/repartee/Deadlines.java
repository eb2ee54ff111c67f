package dev.repartee;

import dev.repartee.limits.Limits;
import dev.repartee.message.Dialect;
import java.util.Set;

/**
 * The rules of an endpoint for the time limits of calls: the fields that carry the remaining time of
 * a call, and load shedding. Immutable.
 *
 * <p>The deadline of a call that arrives with its remaining time is the end of this time, or of
 * {@link Limits#handlerTimeout} if this limit is shorter. After its deadline a call is answered with
 * -32004. A call that was not started before its deadline never runs. The received time does not
 * apply to notifications. Calls that a handler makes on its thread have at most the remaining time
 * of the served call, also without these rules; see {@link CallBuilder#within}.
 */
public final class Deadlines {
  /** Sends nothing, accepts {@link Field#HEADER}, and refuses no call early. */
  public static final Deadlines DEFAULT = new Deadlines(Set.of(), Set.of(Field.HEADER), false);

  /**
   * A place in a message for the remaining time of a call: a number of milliseconds, in decimal
   * digits. A value with any other character, or with more than 18 digits, is ignored. Zero means
   * that no time is left.
   */
  public enum Field {
    /**
     * The header {@code Repartee-Timeout-Ms} of the message: HTTP, AMQP and NATS. Other transports
     * send none. The header of a {@link Batch} is the time of its longest call.
     */
    HEADER,

    /**
     * The member {@code dev.repartee/timeoutMs} of {@code _meta} in params by name, on every
     * transport. For protocols that define {@code _meta}, such as MCP and ACP. A method of another
     * protocol may refuse the unknown member. A call without arguments gets an object with this
     * member only. Params by position stay as they are.
     */
    META,

    /**
     * The member {@code repartee-timeout-ms} of the message, beside {@code method} and {@code
     * params}, on every transport. Each call of a {@link Batch} has its own. Envelopes other than
     * JSON-RPC 2.0 leave it out.
     */
    MEMBER
  }

  private final Set<Field> sent;
  private final Set<Field> accepted;
  private final boolean sheds;

  // Of the sets. Fields, since each call asks for them.
  final boolean sendsHeader;
  final boolean sendsMeta;
  final boolean sendsMember;
  final boolean sendsInText;
  final boolean acceptsHeader;
  final boolean acceptsMeta;
  final boolean acceptsMember;

  private Deadlines(Set<Field> sent, Set<Field> accepted, boolean sheds) {
    this.sent = sent;
    this.accepted = accepted;
    this.sheds = sheds;
    this.sendsHeader = sent.contains(Field.HEADER);
    this.sendsMeta = sent.contains(Field.META);
    this.sendsMember = sent.contains(Field.MEMBER);
    this.sendsInText = sendsMeta || sendsMember;
    this.acceptsHeader = accepted.contains(Field.HEADER);
    this.acceptsMeta = accepted.contains(Field.META);
    this.acceptsMember = accepted.contains(Field.MEMBER);
  }

  /**
   * Returns these rules, with the remaining time of each outgoing call that has a time limit in
   * these fields and no others. No field has it by default, since the other side may be strict; no
   * server is known that refuses the header.
   */
  public Deadlines send(Field... fields) {
    return new Deadlines(Set.of(fields), accepted, sheds);
  }

  /**
   * Returns these rules, with the remaining time read from these fields of received calls and no
   * others. If several fields have a time, the shortest applies.
   */
  public Deadlines accept(Field... fields) {
    return new Deadlines(sent, Set.of(fields), sheds);
  }

  /**
   * Returns these rules with load shedding on or off. Load shedding refuses a call that would still
   * wait at its deadline, with the {@linkplain Dialect#busy busy error} and the limit {@code
   * waitingTime}. The estimated wait is the number of calls that wait before this call, times the
   * mean time between two starts while calls wait. Calls wait in two queues: each connection has a
   * queue of the messages behind an {@linkplain Lane#ORDERED ordered} message, and each endpoint has
   * a queue of the calls for its {@link Options.Builder#executor executor}. Notifications and
   * elements of a batch are not refused. Off by default.
   */
  public Deadlines shedding(boolean sheds) {
    return new Deadlines(sent, accepted, sheds);
  }

  /** Returns whether calls are refused that would still wait at their deadline. */
  boolean sheds() {
    return sheds;
  }
}
