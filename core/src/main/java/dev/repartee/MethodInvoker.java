package dev.repartee;

/**
 * Runs a typed method without boxing: reads the arguments from the params of the exchange, calls
 * the method, and answers the exchange with the result.
 */
interface MethodInvoker {
  /**
   * Runs the method.
   *
   * @throws Throwable the exception of the method, or an {@link RpcException} if the params do not
   *     match the parameters. The exchange is not answered then
   */
  void invoke(Exchange exchange) throws Throwable;
}
