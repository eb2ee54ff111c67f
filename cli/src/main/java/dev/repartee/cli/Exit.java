package dev.repartee.cli;

/** The exit codes, the same for every command. Scripts rely on them. */
final class Exit {
  /** Success. */
  static final int OK = 0;

  /** The peer answered with an error, or did not pass a check. */
  static final int ERROR_RESPONSE = 1;

  /** The command line is invalid. */
  static final int USAGE = 2;

  /** The peer cannot be reached, or the endpoint cannot be bound. */
  static final int CANNOT_CONNECT = 3;

  /** The connection ended, or the time limit passed, before the response. */
  static final int LOST = 4;

  /** The peer broke the protocol. */
  static final int PROTOCOL = 5;

  /** This process is out of memory. */
  static final int MEMORY = 6;

  /** An internal error (EX_SOFTWARE of sysexits.h), far from the codes above. */
  static final int DEFECT = 70;

  private Exit() {}
}
