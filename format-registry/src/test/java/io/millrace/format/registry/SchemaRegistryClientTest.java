package io.millrace.format.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.format.registry.SchemaRegistryClient.Reference;
import io.millrace.format.registry.SchemaRegistryClient.Schema;
import io.millrace.format.registry.SchemaRegistryClient.SchemaType;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SchemaRegistryClientTest {
  private static final Schema IMPORTED = new Schema(SchemaType.PROTOBUF, "imported", List.of());
  private static final Schema IMPORTING =
      new Schema(SchemaType.PROTOBUF, "importing", List.of(new Reference("a.proto", "a", 1)));

  private RegistryServer server;
  private SchemaRegistryClient client;

  @BeforeEach
  void start() throws IOException {
    server = new RegistryServer();
    client = new SchemaRegistryClient(server.registry());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void schemasAreRegisteredOnceWithTheirTypeAndReferences() {
    assertThat(client.version("a", IMPORTED)).isEqualTo(1);
    assertThat(client.id("b", IMPORTING)).isEqualTo(2);
    assertThat(client.version("a", IMPORTED)).isEqualTo(1);
    assertThat(client.id("b", IMPORTING)).isEqualTo(2);
    assertThat(server.requests())
        .containsExactly(
            "POST /subjects/a/versions", "POST /subjects/a", "POST /subjects/b/versions");
    assertThat(server.schemas().get(1))
        .hasToString(
            "{\"schemaType\":\"PROTOBUF\",\"schema\":\"importing\","
                + "\"references\":[{\"name\":\"a.proto\",\"subject\":\"a\",\"version\":1}]}");
  }

  @Test
  void schemaOfAnotherTypeIsRefused() {
    int id = client.id("a", IMPORTED);
    assertThat(client.schema(id, SchemaType.PROTOBUF)).isEqualTo("imported");
    assertThatThrownBy(
            () -> new SchemaRegistryClient(server.registry()).schema(id, SchemaType.AVRO))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("is of type PROTOBUF, not Avro");
  }

  @Test
  void answersOfOtherServersAreNotUsed() {
    for (String answer : List.of("<html>", "{}", "x".repeat(17 << 20))) {
      server.answerWith(answer);
      assertThatThrownBy(() -> client.id("a", IMPORTED))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL));
    }
  }
}
