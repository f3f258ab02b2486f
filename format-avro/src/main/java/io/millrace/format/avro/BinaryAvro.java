package io.millrace.format.avro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/** Reads and writes single records. Belongs to one task. */
final class BinaryAvro<T> {
  private final AvroType<T> type;
  private final DatumWriter<Object> writer;

  /** By the JSON of the writer's schema. */
  private final Map<String, DatumReader<Object>> readers = new HashMap<>();

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private BinaryEncoder encoder;
  private BinaryDecoder decoder;

  BinaryAvro(AvroType<T> type) {
    this.type = type;
    this.writer = type.writer();
  }

  T read(String writerSchema, byte[] message, int offset) throws IOException {
    DatumReader<Object> reader =
        readers.computeIfAbsent(writerSchema, json -> type.reader(new Schema.Parser().parse(json)));
    decoder = DecoderFactory.get().binaryDecoder(message, offset, message.length - offset, decoder);
    Object datum = reader.read(null, decoder);
    if (!decoder.isEnd()) {
      throw new IOException("The message goes on behind the record; its schema is another one.");
    }
    return type.fromAvro(datum);
  }

  byte[] write(byte[] prefix, T record) throws IOException {
    out.reset();
    out.write(prefix);
    encoder = EncoderFactory.get().binaryEncoder(out, encoder);
    writer.write(type.toAvro(record), encoder);
    encoder.flush();
    return out.toByteArray();
  }
}
