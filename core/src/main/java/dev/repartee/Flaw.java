package dev.repartee;

import static dev.repartee.JsonRpc.ERROR;
import static dev.repartee.JsonRpc.ID;
import static dev.repartee.JsonRpc.METHOD;
import static dev.repartee.JsonRpc.PARAMS;
import static dev.repartee.JsonRpc.RESULT;
import static dev.repartee.JsonRpc.VERSION;

/**
 * What is wrong with a message that breaks the rules of JSON-RPC 2.0: noted while it is read, at no
 * cost to those that keep to them, and told in a sentence. That names members of the envelope, kinds
 * and limits, never a value: whoever hears it may be another than whoever sent that.
 */
final class Flaw {
  // What is noted: the members that the message has, by the numbers of JsonRpc;
  // above them those that stand twice, and those whose value is not what it has to be;
  private static final int MEMBERS = 63;
  private static final int TWICE = 6;
  private static final int WRONG = 12;
  static final int ANY_TWICE = MEMBERS << TWICE;

  // and above these what it is.
  static final int OBJECT = 1 << 18;
  static final int NO_OBJECT = 1 << 19;
  static final int EMPTY_BATCH = 1 << 20;
  static final int LONG_BATCH = 1 << 21;

  private Flaw() {}

  static int twice(int member) {
    return member << TWICE;
  }

  static int wrong(int member) {
    return member << WRONG;
  }

  /** Tells it of the i-th message of the frame, which is no request, or no response. */
  static String of(Inbound in, int i) {
    int noted = in.noted(i);
    if ((noted & EMPTY_BATCH) != 0) {
      return "the batch is empty";
    } else if ((noted & LONG_BATCH) != 0) {
      return "the batch is longer than the limit batch of " + in.limits.batch()
          + " allows; send it in parts";
    } else if ((noted & NO_OBJECT) != 0) {
      return "the message is " + kind(in, in.paramsFrom(i)) + ", but has to be an object";
    } else if ((noted & OBJECT) == 0) {
      return "the message is none of this protocol"; // so says a codec of somebody else's
    }
    int twice = noted >> TWICE & MEMBERS;
    return twice == 0 ? ofMembers(in, i, noted) : quoted(twice) + " stands twice";
  }

  private static String ofMembers(Inbound in, int i, int has) {
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

  private static String unfit(int member, Inbound in, int at, String expected) {
    return quoted(member) + " is " + kind(in, at) + ", but has to be " + expected;
  }

  private static String excluding(int member, int other) {
    return quoted(member) + " and " + quoted(other) + " exclude each other";
  }

  private static String kind(Inbound in, int at) {
    return Json.Kind.of(in.bytes()[at]).phrase;
  }

  /** The first of these members. */
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
