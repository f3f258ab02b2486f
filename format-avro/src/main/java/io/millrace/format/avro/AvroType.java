package io.millrace.format.avro;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;

/**
 * How records of a job look in Avro: as generic records, as classes that Avro has generated, or as
 * records and classes of the program, whose schemas are derived. Travels with the job.
 *
 * <pre>{@code
 * Schema schema = new Schema.Parser().parse(new File("order.avsc"));
 * AvroType<Order> type = AvroType.of(Order.class, schema);
 * orders.sinkTo(FileSink.to("/data/orders", AvroFiles.of(type)));
 * }</pre>
 *
 * @param <T> the records
 */
public final class AvroType<T> implements Serializable {
  private static final long serialVersionUID = 1L;

  private enum Kind {
    GENERIC,
    GENERATED,
    MAPPED
  }

  private final Kind kind;
  private final Class<T> type;
  private final String schemaJson;
  private transient Schema schema;
  private transient AvroConversion conversion;

  private AvroType(Kind kind, Class<T> type, Schema schema) {
    this.kind = kind;
    this.type = type;
    this.schema = schema;
    this.schemaJson = schema.toString();
    conversion();
  }

  /** Generic records with this schema. */
  public static AvroType<GenericRecord> generic(Schema schema) {
    if (schema.getType() != Schema.Type.RECORD) {
      throw new MillraceException(
          ErrorKind.USER, "The schema of records is that of a record, not " + schema + ".");
    }
    return new AvroType<>(Kind.GENERIC, GenericRecord.class, schema);
  }

  /**
   * A class that Avro has generated, a record, or a class with fields and a constructor without
   * parameters. The schema of the latter two has the names of their fields.
   */
  public static <T> AvroType<T> of(Class<T> type) {
    Objects.requireNonNull(type, "type");
    if (GenericRecord.class.isAssignableFrom(type)
        && !SpecificRecord.class.isAssignableFrom(type)) {
      throw new MillraceException(
          ErrorKind.USER, "Generic records need a schema. Use AvroType.generic(schema).");
    }
    return SpecificRecord.class.isAssignableFrom(type)
        ? new AvroType<>(Kind.GENERATED, type, SpecificData.get().getSchema(type))
        : new AvroType<>(Kind.MAPPED, type, DerivedSchema.of(type));
  }

  /** A record or class of the program with a schema that has fields with the same names. */
  public static <T> AvroType<T> of(Class<T> type, Schema schema) {
    return new AvroType<>(Kind.MAPPED, Objects.requireNonNull(type, "type"), schema);
  }

  /** The schema in which records are written, and which readers expect. */
  public Schema schema() {
    if (schema == null) {
      schema = new Schema.Parser().parse(schemaJson);
    }
    return schema;
  }

  private AvroConversion conversion() {
    if (conversion == null) {
      conversion = kind == Kind.MAPPED ? ClassConversions.of(type, schema()) : AvroConversion.SAME;
    }
    return conversion;
  }

  /** The model of Avro in which its readers create objects, before {@link #fromAvro}. */
  public GenericData model() {
    return kind == Kind.GENERATED ? new SpecificData(type.getClassLoader()) : GenericData.get();
  }

  DatumReader<Object> reader(Schema writer) {
    if (kind == Kind.GENERATED) {
      @SuppressWarnings("unchecked")
      DatumReader<Object> reader =
          (DatumReader<Object>) (DatumReader<?>) model().createDatumReader(writer, schema());
      return reader;
    }
    return new GenericDatumReader<>(writer, schema());
  }

  DatumWriter<Object> writer() {
    @SuppressWarnings("unchecked")
    DatumWriter<Object> writer =
        (DatumWriter<Object>) (DatumWriter<?>) model().createDatumWriter(schema());
    return writer;
  }

  /** What writers of Avro take. */
  public Object toAvro(T record) {
    return conversion().toAvro(record);
  }

  /** What readers of Avro return, as a record. */
  @SuppressWarnings("unchecked")
  public T fromAvro(Object datum) {
    return (T) conversion().fromAvro(datum);
  }
}
