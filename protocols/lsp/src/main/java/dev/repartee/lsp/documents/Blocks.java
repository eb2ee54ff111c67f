package dev.repartee.lsp.documents;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An immutable text in blocks of about 4,096 characters, with the places of its line ends and the
 * units of its blocks. A small change copies one block, and a few numbers for each other block. To
 * find a position, at most two blocks are searched, however long its line is. Offsets count UTF-16
 * code units.
 *
 * <p>No block ends within a line end {@code \r\n} or a pair of surrogates. Unless the whole text is
 * shorter, no block has fewer than {@link #SMALLEST} characters.
 */
final class Blocks {
  private static final int SIZE = 4_096;
  private static final int SMALLEST = SIZE / 4;
  private static final long[] NONE = {};

  private final Encoding encoding;
  private final String[] blocks;

  /** For each block, the offsets in it that directly follow a line end. */
  private final int[][] breaks;

  /** The offset of each block, and the length of the text. */
  private final int[] starts;

  /** The number of line ends before each block, and in the whole text. */
  private final int[] ends;

  /** The number of units of each block. In UTF-16, it is the length of the block. */
  private final int[] counts;

  /** The number of units before each block, and in the whole text; not used in UTF-16. */
  private final long[] units;

  private Blocks(Encoding encoding, String[] blocks, int[][] breaks, int[] counts) {
    this.encoding = encoding;
    this.blocks = blocks;
    this.breaks = breaks;
    this.counts = counts;
    this.starts = new int[blocks.length + 1];
    this.ends = new int[blocks.length + 1];
    for (int i = 0; i < blocks.length; i++) {
      starts[i + 1] = Math.addExact(starts[i], blocks[i].length());
      ends[i + 1] = ends[i] + breaks[i].length;
    }
    this.units = encoding == Encoding.UTF_16 ? NONE : new long[blocks.length + 1];
    for (int i = 1; i < units.length; i++) {
      units[i] = units[i - 1] + counts[i - 1];
    }
  }

  static Blocks of(String text, Encoding encoding) {
    List<String> pieces = new ArrayList<>(text.length() / SIZE + 1);
    split(text, pieces);
    String[] blocks = pieces.toArray(new String[0]);
    int[][] breaks = new int[blocks.length][];
    Arrays.setAll(breaks, i -> breaks(blocks[i]));
    return new Blocks(encoding, blocks, breaks, counts(encoding, blocks));
  }

  /** Returns the same text with positions in other units. */
  Blocks in(Encoding other) {
    return other == encoding ? this : new Blocks(other, blocks, breaks, counts(other, blocks));
  }

  private static int[] counts(Encoding encoding, String[] blocks) {
    int[] counts = new int[blocks.length];
    Arrays.setAll(counts, i -> encoding.units(blocks[i], 0, blocks[i].length()));
    return counts;
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
    int[] allCounts = Arrays.copyOf(counts, count);
    for (int i = 0; i < pieces.size(); i++) {
      String piece = pieces.get(i);
      all[first + i] = piece;
      allBreaks[first + i] = breaks(piece);
      allCounts[first + i] = encoding.units(piece, 0, piece.length());
    }
    System.arraycopy(blocks, last + 1, all, count - behind, behind);
    System.arraycopy(breaks, last + 1, allBreaks, count - behind, behind);
    System.arraycopy(counts, last + 1, allCounts, count - behind, behind);
    return new Blocks(encoding, all, allBreaks, allCounts);
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
    // The block whose last line end, counted from 1, is the line end before the line, or a later
    // one.
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

  /** Returns the offset after the last character of a line, without its line end. */
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
  int offset(int line, int character) {
    int at = lineStart(line);
    int end = lineEnd(line);
    if (encoding == Encoding.UTF_16) {
      int offset = character < end - at ? at + character : end;
      return offset > at && offset < end && isPair(charAt(offset - 1), charAt(offset))
          ? offset - 1
          : offset;
    }
    int first = blockAt(at);
    int from = at - starts[first];
    int to = Math.min(blocks[first].length(), end - starts[first]);
    int found = index(first, from, to, character);
    if (found < to || starts[first] + to == end) {
      return starts[first] + found;
    }
    long wanted = units[first + 1] - units(first, from, to) + character;
    int search = Arrays.binarySearch(units, first + 1, blocks.length, wanted);
    int block = search < 0 ? -search - 2 : search;
    int left = (int) Math.min(wanted - units[block], counts[block]);
    return Math.min(end, starts[block] + index(block, 0, blocks[block].length(), left));
  }

  /** Returns the number of units between the start of a line and an offset in it. */
  int units(int line, int offset) {
    int at = lineStart(line);
    int end = Math.min(offset, lineEnd(line));
    if (encoding == Encoding.UTF_16) {
      return end - at;
    }
    int first = blockAt(at);
    int last = blockAt(end);
    if (first == last) {
      return units(first, at - starts[first], end - starts[first]);
    }
    int begin = units(first, at - starts[first], blocks[first].length());
    return (int) (begin + units[last] - units[first + 1] + units(last, 0, end - starts[last]));
  }

  private int units(int block, int from, int to) {
    if (isPlain(block)) {
      return to - from;
    }
    String text = blocks[block];
    return from == 0 && to == text.length() ? counts[block] : encoding.units(text, from, to);
  }

  private int index(int block, int from, int to, int units) {
    if (isPlain(block)) {
      return (int) Math.min(to, (long) from + units);
    }
    String text = blocks[block];
    boolean behind = from == 0 && to == text.length() && units >= counts[block];
    return behind ? to : encoding.index(text, from, to, units);
  }

  /** Returns whether each {@code char} of a block is one unit. */
  private boolean isPlain(int block) {
    return counts[block] == blocks[block].length();
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
