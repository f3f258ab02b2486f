package io.millrace.format.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.connector.files.BadFileRecords;
import io.millrace.connector.files.FileRoundTrip;
import io.millrace.connector.files.FileSource;
import io.millrace.connector.files.LineFormat;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.format.registry.RegistryServer;
import io.millrace.format.registry.SchemaRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages with ids of schemas in a registry. */
class RegistryAvroFormatTest {
  record Order(String customer, int amount) {}

  /** The same name in Avro as {@link Order}, one version later. */
  static final class Newer {
    record Order(String customer, int amount, String note) {}
  }

  private RegistryServer server;
  private SchemaRegistry registry;

  @BeforeEach
  void start() throws Exception {
    server = new RegistryServer();
    registry = server.registry();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  @Behaviour("H1: Avro messages with schemas in a registry are written and read over versions")
  void messagesOfSeveralVersionsAreReadAsOne() throws Exception {
    RegistryAvroFormat<Order> format =
        FileRoundTrip.travelled(
            AvroFormat.of(Order.class).withRegistry(registry, "orders value/1"));
    byte[] first = format.serialize(new Order("a", 1));
    format.serialize(new Order("b", 2));
    assertThat(first).startsWith(0, 0, 0, 0, 1);
    // Once, whatever the number of messages.
    assertThat(server.requests()).containsExactly("POST /subjects/orders+value%2F1/versions");

    String newerSchema =
        AvroType.of(Newer.Order.class)
            .schema()
            .toString()
            .replace("RegistryAvroFormatTest_Newer_Order", "RegistryAvroFormatTest_Order");
    RegistryAvroFormat<Newer.Order> newer =
        AvroFormat.of(
                AvroType.of(
                    Newer.Order.class, new org.apache.avro.Schema.Parser().parse(newerSchema)))
            .withRegistry(registry, "orders");
    byte[] second = newer.serialize(new Newer.Order("c", 3, "note"));
    assertThat(second).startsWith(0, 0, 0, 0, 2);
    server.requests().clear();
    assertThat(newer.deserialize(first)).isEqualTo(new Newer.Order("a", 1, null));
    assertThat(newer.deserialize(second)).isEqualTo(new Newer.Order("c", 3, "note"));
    assertThat(newer.deserialize(first)).isEqualTo(new Newer.Order("a", 1, null));
    assertThat(server.requests()).containsExactly("GET /schemas/ids/1", "GET /schemas/ids/2");
    assertThat(format.deserialize(second)).isEqualTo(new Order("c", 3));
  }

  @Test
  void withoutRegistrationTheSchemaMustBeThere() throws Exception {
    RegistryAvroFormat<Order> format =
        AvroFormat.of(Order.class).withRegistry(registry.withoutRegistration(), "orders");
    assertThatThrownBy(() -> format.serialize(new Order("a", 1)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("status 404: Subject not found (error 40401)");
    assertThat(server.requests()).containsExactly("POST /subjects/orders");
    AvroFormat.of(Order.class).withRegistry(registry, "orders").serialize(new Order("a", 1));
    assertThat(format.serialize(new Order("a", 1))).startsWith(0, 0, 0, 0, 1);
  }

  @Test
  void messagesWithoutAKnownSchemaAreBadAndAnOutageIsNot() throws Exception {
    RegistryAvroFormat<Order> format = AvroFormat.of(Order.class).withRegistry(registry, "orders");
    byte[] good = format.serialize(new Order("a", 1));
    for (byte[] bad : new byte[][] {{}, {0, 0, 0, 0}, {1, 0, 0, 0, 1, 2}, {0, 0, 0, 0, 9, 2}}) {
      assertThatThrownBy(() -> format.deserialize(bad))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
    }
    for (int status : new int[] {500, 503, 401, 302}) {
      server.failWith(status);
      assertThatThrownBy(
              () -> AvroFormat.of(Order.class).withRegistry(registry, "orders").deserialize(good))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
          .hasMessageContaining("status " + status);
    }
    stop();
    assertThatThrownBy(
            () -> AvroFormat.of(Order.class).withRegistry(registry, "orders").deserialize(good))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
        .hasMessageContaining("does not answer GET /schemas/ids/1");
  }

  @Test
  void aRegistryThatIsAwayDoesNotLetASourceSkipRecords(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("messages");
    Files.write(file, new byte[] {0, 0, 0, 0, 1, 2, '\n'});
    server.failWith(503);
    FileSource<Order> source =
        FileSource.of(
                LineFormat.reading(AvroFormat.of(Order.class).withRegistry(registry, "orders")),
                file.toString())
            .badRecords(BadFileRecords.skip());
    assertThatThrownBy(() -> FileRoundTrip.readOnce(source, 1))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("status 503");
  }
}
