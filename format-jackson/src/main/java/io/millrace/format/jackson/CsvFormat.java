package io.millrace.format.jackson;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import io.millrace.api.format.DeserializationSchema;
import io.millrace.api.format.SerializationSchema;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.util.List;
import java.util.Objects;

/**
 * One row of CSV per message, without a header and without an end of line. Columns are named by the
 * program and are the fields of a class. Values with separators, quotes or line breaks are quoted.
 * A row with fewer or more columns is an error.
 *
 * <pre>{@code
 * LineFormat<Order> lines =
 *     LineFormat.of(CsvFormat.of(Order.class, "customer", "time", "cents").separator(';'));
 * env.fromSource(FileSource.of(lines, "/data/orders.csv"), "orders").print();
 * }</pre>
 *
 * @param <T> the records
 */
public final class CsvFormat<T> implements DeserializationSchema<T>, SerializationSchema<T> {
  private static final long serialVersionUID = 1L;

  private record Settings(Class<?> type, List<String> columns, char separator)
      implements JacksonBinding.Settings {
    private static final long serialVersionUID = 1L;

    private CsvSchema schema() {
      CsvSchema.Builder schema =
          CsvSchema.builder().setColumnSeparator(separator).setLineSeparator("");
      columns.forEach(schema::addColumn);
      return schema.build();
    }

    @Override
    public ObjectReader reader() {
      return new CsvMapper()
          .readerFor(type)
          .with(schema())
          .with(CsvParser.Feature.FAIL_ON_MISSING_COLUMNS)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .with(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
    }

    @Override
    public ObjectWriter writer() {
      return new CsvMapper().writerFor(type).with(schema());
    }
  }

  private final Class<T> type;
  private final Settings settings;
  private final JacksonBinding<T> binding;

  private CsvFormat(Class<T> type, Settings settings) {
    this.type = type;
    this.settings = settings;
    this.binding = new JacksonBinding<>(type, settings);
  }

  /**
   * @param columns the names of the fields, in the order of the row
   */
  public static <T> CsvFormat<T> of(Class<T> type, String... columns) {
    List<String> names = List.of(columns);
    if (names.isEmpty() || names.stream().distinct().count() < names.size()) {
      throw new MillraceException(
          ErrorKind.USER, "A row of CSV has one column or more, each once, not " + names + ".");
    }
    return new CsvFormat<>(Objects.requireNonNull(type, "type"), new Settings(type, names, ','));
  }

  /** Separates columns by this character instead of a comma. */
  public CsvFormat<T> separator(char separator) {
    return new CsvFormat<>(type, new Settings(type, settings.columns(), separator));
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
