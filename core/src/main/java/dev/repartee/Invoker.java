package dev.repartee;

/**
 * The way through a typed method without boxing: reads the arguments from the exchange's params,
 * calls the method, and answers the exchange with the result.
 */
interface Invoker {
  /**
   * Runs the method.
   *
   * @throws Throwable what the method threw, or an {@link RpcException} for params that do not fit;
   *     the exchange is not answered then
   */
  void invoke(Exchange exchange) throws Throwable;
}
