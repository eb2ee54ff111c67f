package dev.repartee.cli.terminal;

/** The exit codes, the same for every command. Scripts rely on them. */
public final class Exit {
  /** Success. */
  public static final int OK = 0;

  /** The peer answered with an error, or did not pass a check. */
  public static final int ERROR_RESPONSE = 1;

  /** The command line is invalid. */
  public static final int USAGE = 2;

  /** The peer cannot be reached, and the command had no effect; or the endpoint cannot be bound. */
  public static final int CANNOT_CONNECT = 3;

  /** The connection ended, or the time limit passed, before the response. */
  public static final int LOST = 4;

  /** The peer broke the protocol. */
  public static final int PROTOCOL = 5;

  /** This process is out of memory. */
  public static final int MEMORY = 6;

  /** An internal error (EX_SOFTWARE of sysexits.h), far from the codes above. */
  public static final int DEFECT = 70;

  private Exit() {}
}
