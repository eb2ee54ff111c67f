package dev.repartee.jackson;

import dev.repartee.json.JsonException;
import java.io.Serial;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ValueNode;

/**
 * Limits for numbers that keep arithmetic with them cheap; the same as in core. Jackson itself
 * limits the number of digits.
 */
final class Bounds {
  /** The largest exponent, positive or negative. */
  private static final int EXPONENT = 1_000;

  private static final int DIGITS = 1_000;

  private Bounds() {}

  /**
   * Checks the exponent of a number.
   *
   * @throws JsonException if the exponent is out of bounds
   */
  static void check(BigDecimal number) {
    if (number.scale() < -EXPONENT || number.scale() > EXPONENT + DIGITS) {
      throw new JsonException("expected a number of at most " + DIGITS
          + " digits with an exponent from -" + EXPONENT + " to " + EXPONENT
          + ", got another number");
    }
  }

  /** Makes the nodes of Jackson's trees, with checked numbers. */
  static final class Nodes extends JsonNodeFactory {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public ValueNode numberNode(@Nullable BigDecimal value) {
      if (value != null) {
        check(value);
      }
      return super.numberNode(value);
    }
  }
}
