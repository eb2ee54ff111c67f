package dev.repartee.benchmarks.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/** The other side of a {@link Child}: answers each line of the standard input with a line. */
public interface Replies {
  /** Returns the reply to the words of a line. */
  String reply(String[] words) throws Exception;

  /**
   * Replies until the end of the standard input, and ends the process. A failure ends it too:
   * threads of libraries would keep it alive.
   */
  static void serve(Replies replies) {
    try {
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(replies.reply(line.split(" ")));
      }
      System.exit(0);
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
  }
}
