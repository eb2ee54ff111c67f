/**
 * A module that uses core and exports nothing. Tests on the class path would not notice if it
 * broke.
 */
module consumer {
  requires dev.repartee;

  opens consumer to
      dev.repartee;

  provides dev.repartee.Binder with
      consumer.Dates;
  provides dev.repartee.Transport with
      consumer.Twin;
}
