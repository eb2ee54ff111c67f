package dev.repartee;

import static dev.repartee.JsonRpc.ERROR;
import static dev.repartee.JsonRpc.ID;
import static dev.repartee.JsonRpc.METHOD;
import static dev.repartee.JsonRpc.PARAMS;
import static dev.repartee.JsonRpc.RESULT;
import static dev.repartee.JsonRpc.VERSION;

/**
 * Explains in a sentence why a message is not valid JSON-RPC 2.0. The decoder notes the defects as
 * bits, at no cost for valid messages. The sentence names members of the envelope, kinds and
 * limits, but never a value, since it may be logged where the message itself must not be.
 */
final class InvalidMessage {
  /*
   * The layout of the bits, from the lowest: 6 bits for the members that are present, by the
   * numbers of JsonRpc; 6 bits for the members that stand twice; 6 bits for the members with a
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

  static int twice(int member) {
    return member << TWICE;
  }

  static int wrong(int member) {
    return member << WRONG;
  }

  /** Returns the sentence about the invalid message with index {@code i}. */
  static String of(ParsedFrame in, int i) {
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
    return twice == 0 ? ofMembers(in, i, noted) : quoted(twice) + " stands twice";
  }

  private static String ofMembers(ParsedFrame in, int i, int has) {
    int wrong = has >> WRONG & MEMBERS;
    if ((has & VERSION) == 0 && !in.missingVersion) {
      return quoted(VERSION) + " is missing, but has to be '2.0'";
    } else if ((wrong & VERSION) != 0) {
      return quoted(VERSION) + " has to be the string '2.0'";
    } else if ((wrong & ID) != 0) {
      return unfit(ID, in, in.idFrom(i), "a string, a number or null");
    } else if ((has & (RESULT | ERROR)) == (RESULT | ERROR)) {
      return excluding(RESULT, ERROR);
    } else if ((has & METHOD) == 0) {
      return quoted((has & (RESULT | ERROR)) == 0 ? METHOD : ID) + " is missing";
    } else if ((wrong & METHOD) != 0) {
      return unfit(METHOD, in, in.methodFrom(i), "a string");
    } else if ((wrong & PARAMS) != 0) {
      return unfit(PARAMS, in, in.paramsFrom(i), "an array or an object");
    }
    return excluding(METHOD, has & (RESULT | ERROR));
  }

  private static String unfit(int member, ParsedFrame in, int at, String expected) {
    return quoted(member) + " is " + kind(in, at) + ", but has to be " + expected;
  }

  private static String excluding(int member, int other) {
    return quoted(member) + " and " + quoted(other) + " exclude each other";
  }

  private static String kind(ParsedFrame in, int at) {
    return Json.Kind.of(in.bytes()[at]).phrase;
  }

  /** Returns the name of the first of these members. */
  private static String quoted(int members) {
    return "the member "
        + switch (Integer.lowestOneBit(members)) {
          case VERSION -> "'jsonrpc'";
          case ID -> "'id'";
          case METHOD -> "'method'";
          case PARAMS -> "'params'";
          case RESULT -> "'result'";
          default -> "'error'";
        };
  }
}
