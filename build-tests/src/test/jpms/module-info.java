/** A user of the module, which the class path would not notice if it broke. It exports nothing. */
module consumer {
  requires dev.repartee;

  opens consumer to
      dev.repartee;

  provides dev.repartee.Binder with
      consumer.Dates;
  provides dev.repartee.Transport with
      consumer.Twin;
}
