package dev.repartee.examples.guides;

import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.servlet.RpcServlet;
import jakarta.servlet.annotation.WebServlet;

@WebServlet(urlPatterns = "/rpc", asyncSupported = true, loadOnStartup = 1)
public class CalculatorServlet extends RpcServlet {
  private static final long serialVersionUID = 1;

  public CalculatorServlet() {
    super(Service.of(Calculator.class, (Calculator) (a, b) -> a - b), Options.DEFAULT);
  }
}
