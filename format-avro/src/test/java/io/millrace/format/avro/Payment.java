package io.millrace.format.avro;

import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.specific.SpecificRecordBase;

/** A class as Avro generates it. */
public final class Payment extends SpecificRecordBase {
  private static final long serialVersionUID = 1L;

  public static final Schema SCHEMA$ =
      SchemaBuilder.record("Payment")
          .namespace("io.millrace.format.avro")
          .fields()
          .requiredString("payer")
          .requiredLong("cents")
          .endRecord();

  private CharSequence payer;
  private long cents;

  public Payment() {}

  Payment(String payer, long cents) {
    this.payer = payer;
    this.cents = cents;
  }

  @Override
  public Schema getSchema() {
    return SCHEMA$;
  }

  @Override
  public Object get(int field) {
    return field == 0 ? payer : (Object) cents;
  }

  @Override
  public void put(int field, Object value) {
    if (field == 0) {
      payer = value.toString();
    } else {
      cents = (Long) value;
    }
  }
}
