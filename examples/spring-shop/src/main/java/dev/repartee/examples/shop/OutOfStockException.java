package dev.repartee.examples.shop;

/** The shop does not have enough of an item. */
public class OutOfStockException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates an exception. */
  public OutOfStockException(String item) {
    super(item);
  }
}
