/**
 * A module that uses core and exports nothing. Tests on the class path would not notice if it
 * broke.
 */
module consumer {
  requires dev.repartee;

  opens consumer to
      dev.repartee;

  provides dev.repartee.json.Binder with
      consumer.Dates;
  provides dev.repartee.transport.Transport with
      consumer.Twin;
}
