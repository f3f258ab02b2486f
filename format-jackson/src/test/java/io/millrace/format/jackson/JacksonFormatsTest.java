package io.millrace.format.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.format.DeserializationSchema;
import io.millrace.core.error.MillraceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** JSON and CSV, there and back, and what is refused. */
class JacksonFormatsTest {
  record Order(String customer, int amount) {}

  private static final CsvFormat<Order> CSV = CsvFormat.of(Order.class, "customer", "amount");

  /** As in a task: a format travels with the job. */
  @SuppressWarnings("unchecked")
  private static <F> F travelled(F format) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(format);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (F) in.readObject();
    }
  }

  private static <T> T parse(DeserializationSchema<T> format, String message) throws Exception {
    return format.deserialize(message.getBytes(UTF_8));
  }

  @Test
  void jsonIsReadAndWrittenByAFormatThatTravelled() throws Exception {
    JsonFormat<Order> format = travelled(JsonFormat.of(Order.class));
    Order order = new Order("Ä \"quoted\"", 7);
    assertThat(format.deserialize(format.serialize(order))).isEqualTo(order);
    // Also after it was used.
    assertThat(parse(travelled(format), " {\"amount\":3,\"customer\":\"a\"} "))
        .isEqualTo(new Order("a", 3));
  }

  @Test
  void jsonThatIsNoOrderIsRefused() {
    JsonFormat<Order> format = JsonFormat.of(Order.class);
    for (String message :
        List.of(
            "",
            "null",
            "{",
            "[]",
            "7",
            "{\"customer\":\"a\",\"amount\":1} {}",
            "{\"customer\":\"a\",\"amount\":1,\"other\":1}",
            "{\"customer\":\"a\",\"amount\":null}",
            "{\"customer\":\"a\",\"amount\":99999999999}")) {
      assertThatThrownBy(() -> parse(format, message)).as(message).isInstanceOf(Exception.class);
    }
  }

  @Test
  void unknownFieldsAreDroppedOnRequest() throws Exception {
    JsonFormat<Order> format = travelled(JsonFormat.of(Order.class).ignoreUnknownFields());
    assertThat(parse(format, "{\"customer\":\"a\",\"amount\":1,\"other\":{\"x\":[]}}"))
        .isEqualTo(new Order("a", 1));
  }

  @Test
  void csvIsReadAndWrittenByAFormatThatTravelled() throws Exception {
    CsvFormat<Order> format = travelled(CSV);
    assertThat(new String(format.serialize(new Order("a", 3)), UTF_8)).isEqualTo("a,3");
    Order order = new Order("a,\"b\"\nc", -1);
    assertThat(format.deserialize(format.serialize(order))).isEqualTo(order);
    assertThat(parse(travelled(CSV.separator('\t')), "a,b\t5\r\n")).isEqualTo(new Order("a,b", 5));
  }

  @Test
  void rowThatIsNoOrderIsRefused() {
    for (String row : List.of("", "a", "a,1,2", "a,b", "a,1\nb,2")) {
      assertThatThrownBy(() -> parse(CSV, row)).as(row).isInstanceOf(Exception.class);
    }
  }

  @Test
  void columnsAreNamedOnce() {
    assertThatThrownBy(() -> CsvFormat.of(Order.class, "a", "b", "a"))
        .isInstanceOf(MillraceException.class)
        .hasMessage("A row of CSV has one column or more, each once, not [a, b, a].");
  }
}
