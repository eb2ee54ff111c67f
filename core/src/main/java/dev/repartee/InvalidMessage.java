package dev.repartee;

import static dev.repartee.MessageMember.ERROR;
import static dev.repartee.MessageMember.ID;
import static dev.repartee.MessageMember.METHOD;
import static dev.repartee.MessageMember.PARAMS;
import static dev.repartee.MessageMember.RESULT;
import static dev.repartee.MessageMember.VERSION;

import dev.repartee.json.Json;

/**
 * Explains in a sentence why a message is not valid JSON-RPC 2.0. The decoder notes the defects as
 * bits, at no cost for valid messages. The sentence names members of the envelope, kinds and
 * limits, but never a value, since it may be logged where the message itself must not be.
 */
final class InvalidMessage {
  /*
   * The layout of the bits, from the lowest: 6 bits for the members that are present
   * (MessageMember.bit); 6 bits for the members that stand twice; 6 bits for the members with a
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
    } else if ((noted & OBJECT) == 0) {
      return "the message does not belong to this protocol"; // from a codec other than JsonRpc
    }
    int twice = noted >> TWICE & MEMBERS;
    return twice == 0
        ? ofMembers(in, i, noted)
        : named(MessageMember.first(twice)) + " stands twice";
  }

  private static String ofMembers(ParsedFrame in, int i, int has) {
    int wrong = has >> WRONG & MEMBERS;
    if (!VERSION.isIn(has) && !in.missingVersion) {
      return named(VERSION) + " is missing, but has to be '2.0'";
    } else if (VERSION.isIn(wrong)) {
      return named(VERSION) + " has to be the string '2.0'";
    } else if (ID.isIn(wrong)) {
      return unfit(ID, in, i, "a string, a number or null");
    } else if (RESULT.isIn(has) && ERROR.isIn(has)) {
      return excluding(RESULT, ERROR);
    } else if (!METHOD.isIn(has)) {
      return named(RESULT.isIn(has) || ERROR.isIn(has) ? ID : METHOD) + " is missing";
    } else if (METHOD.isIn(wrong)) {
      return unfit(METHOD, in, i, "a string");
    } else if (PARAMS.isIn(wrong)) {
      return unfit(PARAMS, in, i, "an array or an object");
    }
    return excluding(METHOD, RESULT.isIn(has) ? RESULT : ERROR);
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
