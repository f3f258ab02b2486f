package io.millrace.format.jackson;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.millrace.api.format.DeserializationSchema;
import io.millrace.api.format.SerializationSchema;
import java.io.IOException;
import java.io.Serializable;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * One JSON value per message, as an object of a class. A field that the class does not have, a
 * number that does not fit, the value {@code null} and text behind the value are errors.
 *
 * <pre>{@code
 * KafkaSource<Order> source =
 *     KafkaSource.of(
 *         "host:9092",
 *         KafkaTopics.named("orders"),
 *         JsonFormat.of(Order.class).ignoreUnknownFields());
 * env.fromSource(source, "orders").print();
 * }</pre>
 *
 * @param <T> the records
 */
public final class JsonFormat<T> implements DeserializationSchema<T>, SerializationSchema<T> {
  private static final long serialVersionUID = 1L;

  /** Creates a mapper; a lambda of the program serves. */
  public interface MapperSupplier extends Supplier<ObjectMapper>, Serializable {}

  private record Settings(Class<?> type, MapperSupplier mapper, boolean ignoresUnknownFields)
      implements JacksonBinding.Settings {
    private static final long serialVersionUID = 1L;

    @Override
    public ObjectReader reader() {
      ObjectReader reader =
          mapper.get().readerFor(type).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
      return ignoresUnknownFields
          ? reader.without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          : reader;
    }

    @Override
    public ObjectWriter writer() {
      return mapper.get().writerFor(type);
    }
  }

  private final Class<T> type;
  private final Settings settings;
  private final JacksonBinding<T> binding;

  private JsonFormat(Class<T> type, Settings settings) {
    this.type = type;
    this.settings = settings;
    this.binding = new JacksonBinding<>(type, settings);
  }

  public static <T> JsonFormat<T> of(Class<T> type) {
    return of(
        type, () -> new ObjectMapper().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES));
  }

  /** The same with mappers of the program, for example with modules. */
  public static <T> JsonFormat<T> of(Class<T> type, MapperSupplier mapper) {
    return new JsonFormat<>(
        Objects.requireNonNull(type, "type"),
        new Settings(type, Objects.requireNonNull(mapper, "mapper"), false));
  }

  /** Drops fields that the class does not have. */
  public JsonFormat<T> ignoreUnknownFields() {
    return new JsonFormat<>(type, new Settings(type, settings.mapper(), true));
  }

  @Override
  public T deserialize(byte[] message) throws IOException {
    return binding.read(message);
  }

  @Override
  public byte[] serialize(T record) throws IOException {
    return binding.write(record);
  }
}
