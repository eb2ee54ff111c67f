package dev.repartee.examples.guides;

/** The service of several guides. */
public interface Calculator {
  /** Returns the difference of two numbers. */
  int subtract(int minuend, int subtrahend);
}
