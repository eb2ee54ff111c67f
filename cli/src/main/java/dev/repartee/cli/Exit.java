package dev.repartee.cli;

/** The exit codes, the same for every command: scripts rely on them. */
final class Exit {
  /** There is a result. */
  static final int OK = 0;

  /** The peer answered with an error, or did not pass a check. */
  static final int ERROR_RESPONSE = 1;

  /** The command line does not make sense. */
  static final int USAGE = 2;

  /** The peer cannot be reached, or the endpoint cannot be bound. */
  static final int CANNOT_CONNECT = 3;

  /** The connection ended, or the time passed, before the answer. */
  static final int LOST = 4;

  /** The peer broke the protocol. */
  static final int PROTOCOL = 5;

  /** The memory of this process is used up. */
  static final int MEMORY = 6;

  /** A defect of our own (EX_SOFTWARE of sysexits.h), far from the codes above. */
  static final int DEFECT = 70;

  private Exit() {}
}
