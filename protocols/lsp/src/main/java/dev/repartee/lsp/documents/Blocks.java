package dev.repartee.lsp.documents;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An immutable text in blocks of about 4,096 characters, with the places of its line ends. A small
 * change copies one block, and one number for each other block. Offsets count UTF-16 code units.
 *
 * <p>No block ends within a line end {@code \r\n} or a pair of surrogates, and, unless the text is
 * that short, none has less than {@link #SMALLEST} characters.
 */
final class Blocks {
  private static final int SIZE = 4_096;
  private static final int SMALLEST = SIZE / 4;

  private final String[] blocks;

  /** For each block the offsets in it that are right behind a line end. */
  private final int[][] breaks;

  /** The offset of each block, and the length of the text. */
  private final int[] starts;

  /** The number of line ends before each block, and of all. */
  private final int[] ends;

  private Blocks(String[] blocks, int[][] breaks) {
    this.blocks = blocks;
    this.breaks = breaks;
    this.starts = new int[blocks.length + 1];
    this.ends = new int[blocks.length + 1];
    for (int i = 0; i < blocks.length; i++) {
      starts[i + 1] = Math.addExact(starts[i], blocks[i].length());
      ends[i + 1] = ends[i] + breaks[i].length;
    }
  }

  static Blocks of(String text) {
    List<String> pieces = new ArrayList<>(text.length() / SIZE + 1);
    split(text, pieces);
    String[] blocks = pieces.toArray(new String[0]);
    int[][] breaks = new int[blocks.length][];
    Arrays.setAll(breaks, i -> breaks(blocks[i]));
    return new Blocks(blocks, breaks);
  }

  int length() {
    return starts[blocks.length];
  }

  int lineCount() {
    return ends[blocks.length] + 1;
  }

  /** Returns the text with other characters between two offsets. */
  Blocks replace(int from, int to, String with) {
    int first = blockAt(from);
    int last = blockAt(to);
    String middle = blocks[first].substring(0, from - starts[first])
        + with
        + blocks[last].substring(to - starts[last]);
    if (first > 0 && (middle.length() < SMALLEST || isPair(blocks[first - 1], middle))) {
      first--;
      middle = blocks[first] + middle;
    }
    if (last < blocks.length - 1
        && (middle.length() < SMALLEST || isPair(middle, blocks[last + 1]))) {
      last++;
      middle += blocks[last];
    }
    List<String> pieces = new ArrayList<>(middle.length() / SIZE + 1);
    split(middle, pieces);
    int behind = blocks.length - last - 1;
    int count = first + pieces.size() + behind;
    String[] all = Arrays.copyOf(blocks, count);
    int[][] allBreaks = Arrays.copyOf(breaks, count);
    for (int i = 0; i < pieces.size(); i++) {
      all[first + i] = pieces.get(i);
      allBreaks[first + i] = breaks(pieces.get(i));
    }
    System.arraycopy(blocks, last + 1, all, count - behind, behind);
    System.arraycopy(breaks, last + 1, allBreaks, count - behind, behind);
    return new Blocks(all, allBreaks);
  }

  /** Splits a text into blocks of equal size; at least one, which may be empty. */
  private static void split(String text, List<String> pieces) {
    int count = Math.max(1, (text.length() + SIZE - 1) / SIZE);
    int from = 0;
    for (int i = 1; i < count; i++) {
      int to = (int) ((long) text.length() * i / count);
      if (isPair(text.charAt(to - 1), text.charAt(to))) {
        to++;
      }
      pieces.add(text.substring(from, to));
      from = to;
    }
    pieces.add(text.substring(from));
  }

  private static boolean isPair(String left, String right) {
    return !left.isEmpty()
        && !right.isEmpty()
        && isPair(left.charAt(left.length() - 1), right.charAt(0));
  }

  private static boolean isPair(char left, char right) {
    return left == '\r' && right == '\n' || Character.isSurrogatePair(left, right);
  }

  private static int[] breaks(String block) {
    int[] found = new int[block.length() / 16 + 4];
    int count = 0;
    int at = 0;
    int cr = block.indexOf('\r');
    int lf = block.indexOf('\n');
    while (cr >= 0 || lf >= 0) {
      if (cr >= 0 && (lf < 0 || cr < lf)) {
        at = cr + 1 == lf ? lf + 1 : cr + 1;
      } else {
        at = lf + 1;
      }
      if (count == found.length) {
        found = Arrays.copyOf(found, 2 * count);
      }
      found[count++] = at;
      cr = cr >= 0 && cr < at ? block.indexOf('\r', at) : cr;
      lf = lf >= 0 && lf < at ? block.indexOf('\n', at) : lf;
    }
    return Arrays.copyOf(found, count);
  }

  /** Returns the last block that begins at or before the offset. */
  private int blockAt(int offset) {
    int found = Arrays.binarySearch(starts, 0, blocks.length, offset);
    return found < 0 ? -found - 2 : found;
  }

  private char charAt(int offset) {
    int block = blockAt(offset);
    return blocks[block].charAt(offset - starts[block]);
  }

  /** Returns the offset of the first character of a line. */
  int lineStart(int line) {
    if (line == 0) {
      return 0;
    }
    // The block whose last line end, counted from 1, is that before the line, or a later one.
    int low = 0;
    int high = blocks.length - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ends[middle + 1] < line) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return starts[low] + breaks[low][line - ends[low] - 1];
  }

  /** Returns the offset behind the last character of a line, without its line end. */
  int lineEnd(int line) {
    if (line == lineCount() - 1) {
      return length();
    }
    int next = lineStart(line + 1);
    boolean two = next > 1 && charAt(next - 1) == '\n' && charAt(next - 2) == '\r';
    return next - (two ? 2 : 1);
  }

  /** Returns the line of the character at an offset. */
  int lineAt(int offset) {
    int block = blockAt(offset);
    int found = Arrays.binarySearch(breaks[block], offset - starts[block]);
    return ends[block] + (found < 0 ? -found - 1 : found + 1);
  }

  /**
   * Returns the offset of a character of a line: the end of the line if it is shorter, and the
   * start of a character if the position is within it.
   */
  int offset(int line, int units, Encoding encoding) {
    int at = lineStart(line);
    int end = lineEnd(line);
    if (encoding == Encoding.UTF_16) {
      int offset = units < end - at ? at + units : end;
      return offset > at && offset < end && isPair(charAt(offset - 1), charAt(offset))
          ? offset - 1
          : offset;
    }
    int left = units;
    while (at < end) {
      int block = blockAt(at);
      String text = blocks[block];
      int stop = Math.min(text.length(), end - starts[block]);
      int i = at - starts[block];
      while (i < stop) {
        int character = text.codePointAt(i);
        left -= encoding.width(character);
        if (left < 0) {
          return starts[block] + i;
        }
        i += Character.charCount(character);
      }
      at = starts[block] + stop;
    }
    return end;
  }

  /** Returns the number of units between the start of a line and an offset in it. */
  int units(int line, int offset, Encoding encoding) {
    int at = lineStart(line);
    int end = Math.min(offset, lineEnd(line));
    if (encoding == Encoding.UTF_16) {
      return end - at;
    }
    int units = 0;
    while (at < end) {
      int block = blockAt(at);
      String text = blocks[block];
      int stop = Math.min(text.length(), end - starts[block]);
      int i = at - starts[block];
      while (i < stop) {
        int character = text.codePointAt(i);
        i += Character.charCount(character);
        units += i > stop ? 0 : encoding.width(character); // not past half a pair
      }
      at = starts[block] + stop;
    }
    return units;
  }

  String substring(int from, int to) {
    int first = blockAt(from);
    if (to <= starts[first + 1]) {
      return blocks[first].substring(from - starts[first], to - starts[first]);
    }
    StringBuilder all = new StringBuilder(to - from);
    for (int i = first; i < blocks.length && starts[i] < to; i++) {
      int end = Math.min(blocks[i].length(), to - starts[i]);
      all.append(blocks[i], Math.max(0, from - starts[i]), end);
    }
    return all.toString();
  }
}
