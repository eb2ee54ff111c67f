package dev.repartee.validation;

import jakarta.validation.ConstraintViolation;
import jakarta.validation.MessageInterpolator;
import jakarta.validation.ValidationException;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Ends a validation that finds too many violations. Jakarta Validation has no limit: each violation
 * keeps its path, and a message of 300 KiB with deeply nested values could fill a heap of 256 MB.
 * But it requests the text of each violation; here they are counted. Thread-safe.
 */
final class ViolationLimit implements MessageInterpolator {
  /** The maximum number of violations. */
  static final int MAX = 1_000;

  /** The message in place of the violations. */
  static final String MESSAGE = "more than " + MAX + " violations; the check was ended";

  private final MessageInterpolator texts;

  /** The number of violations in the validation of this thread. */
  private final ThreadLocal<Integer> found = ThreadLocal.withInitial(() -> 0);

  /**
   * Creates a limit.
   *
   * @param texts makes the texts of violations
   */
  ViolationLimit(MessageInterpolator texts) {
    this.texts = texts;
  }

  /** Thrown in a validation with too many violations. The implementation passes it on. */
  static final class Exceeded extends ValidationException {
    private static final long serialVersionUID = 1;

    Exceeded() {
      super(MESSAGE);
    }
  }

  /**
   * Runs a validation.
   *
   * @throws Exceeded if it has more than {@link #MAX} violations
   */
  Set<? extends ConstraintViolation<?>> check(
      Supplier<Set<? extends ConstraintViolation<?>>> validation) {
    try {
      return validation.get();
    } finally {
      found.remove();
    }
  }

  @Override
  public String interpolate(String template, Context context) {
    count();
    return texts.interpolate(template, context);
  }

  @Override
  public String interpolate(String template, Context context, Locale locale) {
    count();
    return texts.interpolate(template, context, locale);
  }

  private void count() {
    int before = found.get();
    if (before == MAX) {
      throw new Exceeded();
    }
    found.set(before + 1);
  }
}
