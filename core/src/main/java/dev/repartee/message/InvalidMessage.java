package dev.repartee.message;

import static dev.repartee.message.MessageMember.ERROR;
import static dev.repartee.message.MessageMember.ID;
import static dev.repartee.message.MessageMember.METHOD;
import static dev.repartee.message.MessageMember.PARAMS;
import static dev.repartee.message.MessageMember.RESULT;
import static dev.repartee.message.MessageMember.VERSION;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * Explains in a sentence why a message is not valid JSON-RPC 2.0. The decoder notes the defects as
 * bits, at no cost for valid messages. The sentence names members of the envelope, kinds and
 * limits, but never a value, since it may be logged where the message itself must not be.
 */
final class InvalidMessage {
  /*
   * The layout of the bits, from the lowest: 6 bits for the members that are present
   * (MessageMember.bit); 6 bits for the members that occur twice; 6 bits for the members with a
   * value of the wrong kind; the rest describes the message as a whole.
   */
  private static final int MEMBERS = 63;
  private static final int TWICE = 6;
  private static final int WRONG = 12;
  static final int ANY_TWICE = MEMBERS << TWICE;

  static final int OBJECT = 1 << 18;
  static final int NO_OBJECT = 1 << 19;
  static final int EMPTY_BATCH = 1 << 20;
  static final int LONG_BATCH = 1 << 21;

  private InvalidMessage() {}

  static int twice(MessageMember member) {
    return member.bit << TWICE;
  }

  static int wrong(MessageMember member) {
    return member.bit << WRONG;
  }

  /** Returns the sentence about the invalid message with index {@code i}. */
  static String of(ParsedFrame in, int i) {
    String reason = in.reason();
    if (reason != null) {
      return reason;
    }
    int noted = in.noted(i);
    if ((noted & EMPTY_BATCH) != 0) {
      return "the batch is empty";
    } else if ((noted & LONG_BATCH) != 0) {
      return "the batch is longer than the limit batch of " + in.limits.batch()
          + " allows; send it in parts";
    } else if ((noted & NO_OBJECT) != 0) {
      return "the message is " + kind(in, in.paramsFrom(i)) + ", but has to be an object";
    }
    MessageMember member = member(in, i);
    if (member == null) {
      return "the message does not belong to this protocol"; // from a codec other than JsonRpc
    }
    return member.isIn(noted >> TWICE) ? named(member) + " occurs twice" : about(member, in, i);
  }

  /**
   * Returns the member to which the sentence about an invalid message applies: present with a
   * fault, or missing. Returns null if the sentence is about the whole message.
   */
  static @Nullable MessageMember member(ParsedFrame in, int i) {
    int has = in.noted(i);
    int twice = has >> TWICE & MEMBERS;
    int wrong = has >> WRONG & MEMBERS;
    if ((has & OBJECT) == 0 || in.reason() != null) {
      return null;
    } else if (twice != 0) {
      return MessageMember.first(twice);
    } else if (!VERSION.isIn(has) && !in.missingVersion || VERSION.isIn(wrong)) {
      return VERSION;
    } else if (ID.isIn(wrong)) {
      return ID;
    } else if (RESULT.isIn(has) && ERROR.isIn(has)) {
      return ERROR;
    } else if (!METHOD.isIn(has)) {
      return RESULT.isIn(has) || ERROR.isIn(has) ? ID : METHOD;
    } else if (METHOD.isIn(wrong)) {
      return METHOD;
    } else if (PARAMS.isIn(wrong)) {
      return PARAMS;
    }
    return RESULT.isIn(has) ? RESULT : ERROR;
  }

  private static String about(MessageMember member, ParsedFrame in, int i) {
    int has = in.noted(i);
    boolean missing = !member.isIn(has);
    return switch (member) {
      case VERSION ->
        named(VERSION)
            + (missing ? " is missing, but has to be '2.0'" : " has to be the string '2.0'");
      case ID ->
        missing ? named(ID) + " is missing" : unfit(ID, in, i, "a string, a number or null");
      case METHOD -> missing ? named(METHOD) + " is missing" : unfit(METHOD, in, i, "a string");
      case PARAMS -> unfit(PARAMS, in, i, "an array or an object");
      case RESULT -> excluding(METHOD, RESULT);
      case ERROR -> excluding(RESULT.isIn(has) ? RESULT : METHOD, ERROR);
    };
  }

  private static String unfit(MessageMember member, ParsedFrame in, int i, String expected) {
    return named(member) + " is " + kind(in, in.from(i, member)) + ", but has to be " + expected;
  }

  private static String excluding(MessageMember member, MessageMember other) {
    return named(member) + " and " + named(other) + " exclude each other";
  }

  private static String kind(ParsedFrame in, int at) {
    return Json.Kind.of(in.bytes()[at]).phrase();
  }

  private static String named(MessageMember member) {
    return "the member " + member;
  }
}
