package dev.repartee.fuzz;

import static dev.repartee.fuzz.Check.check;

import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the responder answers any bytes with exactly the expected reply. Runs each input with
 * the default limits, and with limits so low that small inputs exceed them.
 */
final class ResponderTarget {
  private static final Limits SMALL = Limits.builder().depth(6).batch(3).build();
  private static final FrameResponder USUAL = responder(Limits.DEFAULT);
  private static final FrameResponder NARROW = responder(SMALL);

  private ResponderTarget() {}

  private static FrameResponder responder(Limits limits) {
    ChannelInfo channel = new ChannelInfo("fuzz", "", "message");
    return FrameResponder.of(Methods.service(), Options.builder().limits(limits).build(), channel);
  }

  static void run(byte[] input) {
    run(USUAL, Limits.DEFAULT, input);
    run(NARROW, SMALL, input);
  }

  private static void run(FrameResponder responder, Limits limits, byte[] input) {
    Reply owed = Reply.to(Tree.message(input, limits.depth()), limits, false);
    byte[] got = respond(responder, input);
    if (owed == null) {
      check(got == null, "an answer though none is expected");
    } else {
      check(got != null, "no answer");
      owed.expect(got);
    }
  }

  private static byte @Nullable [] respond(FrameResponder responder, byte[] input) {
    try {
      return responder.respond(input.clone());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
