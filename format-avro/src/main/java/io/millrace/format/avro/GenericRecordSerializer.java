package io.millrace.format.avro;

import io.millrace.api.serialization.Serializer;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Writes generic records that travel between tasks or lie in state without their schema. For jobs
 * whose generic records all have one schema:
 *
 * <pre>{@code
 * Schema schema = new Schema.Parser().parse(new File("order.avsc"));
 * env.registerSerializer(GenericData.Record.class, GenericRecordSerializer.of(schema));
 * }</pre>
 */
public final class GenericRecordSerializer implements Serializer<GenericData.Record> {
  private static final long serialVersionUID = 1L;

  private final AvroType<GenericRecord> type;
  private transient BinaryAvro<GenericRecord> binary;
  private transient String schemaJson;

  private GenericRecordSerializer(AvroType<GenericRecord> type) {
    this.type = type;
  }

  public static GenericRecordSerializer of(Schema schema) {
    return new GenericRecordSerializer(AvroType.generic(schema));
  }

  private void open() {
    if (binary == null) {
      binary = new BinaryAvro<>(type);
      schemaJson = type.schema().toString();
    }
  }

  @Override
  public void write(GenericData.Record value, DataOutput out) throws IOException {
    open();
    if (!value.getSchema().equals(type.schema())) {
      throw new MillraceException(
          ErrorKind.USER,
          "A generic record has the schema "
              + value.getSchema().getFullName()
              + ", but the serializer is for another schema of "
              + type.schema().getFullName()
              + ". Use records of Java, or generated classes, in a job with several schemas.");
    }
    byte[] bytes = binary.write(new byte[0], value);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  @Override
  public GenericData.Record read(DataInput in) throws IOException {
    open();
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return (GenericData.Record) binary.read(schemaJson, bytes, 0);
  }
}
