package dev.repartee.json;

import java.util.Iterator;

/**
 * Creates and opens {@link Json} values without a check and without a copy. For codecs and
 * bindings, which know that a text is valid because they have scanned or written it.
 */
public final class UnsafeJson {
  private UnsafeJson() {}

  /** Wraps an array, which must be one valid value and must not change afterwards. */
  public static Json wrap(byte[] valid) {
    return Json.wrap(valid);
  }

  /**
   * Copies {@code source[from, to)}, which must be one valid value without white space around it.
   */
  public static Json copy(byte[] source, int from, int to) {
    return Json.copy(source, from, to);
  }

  /**
   * Returns {@code source[from, to)}, which must be one valid value, as a value that may share the
   * array. The array must not change afterwards. A value shorter than half of the array is copied:
   * a reachable value keeps at most twice its length in memory.
   */
  public static Json slice(byte[] source, int from, int to) {
    return Json.slice(source, from, to);
  }

  /**
   * Returns an iterator over the elements of an array, which creates each element when it is asked
   * for: the elements of an array of small values need much more memory than its text.
   */
  public static Iterator<Json> elements(Json array) {
    return new Json.Elements(array);
  }

  /** Returns the number of elements of an array; creates none of them. */
  public static int countElements(Json array) {
    return new Json.Elements(array).count();
  }

  /**
   * Returns an array of exactly the text, which must not be changed; a copy if the value shares its
   * array.
   */
  public static byte[] array(Json value) {
    return value.array();
  }
}
