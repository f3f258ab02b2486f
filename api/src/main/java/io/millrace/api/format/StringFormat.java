package io.millrace.api.format;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Text in UTF-8. Bytes that are not UTF-8, and text that has no UTF-8, are refused instead of
 * replaced.
 *
 * <pre>{@code
 * KafkaSource<String> notes =
 *     KafkaSource.of("host:9092", KafkaTopics.named("notes"), new StringFormat());
 * env.fromSource(notes, "notes").filter(note -> note.contains("urgent")).print();
 * }</pre>
 */
public final class StringFormat
    implements DeserializationSchema<String>, SerializationSchema<String> {
  private static final long serialVersionUID = 1L;

  @Override
  public String deserialize(byte[] message) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(message)).toString();
  }

  @Override
  public byte[] serialize(String record) throws CharacterCodingException {
    ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(record));
    byte[] message = new byte[bytes.remaining()];
    bytes.get(message);
    return message;
  }
}
