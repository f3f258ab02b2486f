package io.millrace.format.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.format.registry.RegistryServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages with ids of schemas in a registry. */
class RegistryProtobufFormatTest {
  private static final Struct STRUCT =
      Struct.newBuilder().putFields("a", Value.newBuilder().setNumberValue(1).build()).build();

  private RegistryServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RegistryServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static FieldDescriptorProto field(String name, int number) {
    return FieldDescriptorProto.newBuilder()
        .setName(name)
        .setNumber(number)
        .setType(FieldDescriptorProto.Type.TYPE_STRING)
        .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
        .build();
  }

  /** A file with {@code shop.Customer}, and one that imports it, with {@code shop.Order.Line}. */
  private static Descriptor line(String... fields) throws Exception {
    FileDescriptor customers =
        FileDescriptor.buildFrom(
            FileDescriptorProto.newBuilder()
                .setName("shop/customer.proto")
                .setPackage("shop")
                .addMessageType(
                    DescriptorProto.newBuilder().setName("Customer").addField(field("name", 1)))
                .build(),
            new FileDescriptor[0]);
    DescriptorProto.Builder line = DescriptorProto.newBuilder().setName("Line");
    for (int i = 0; i < fields.length; i++) {
      line.addField(field(fields[i], i + 1));
    }
    FileDescriptor orders =
        FileDescriptor.buildFrom(
            FileDescriptorProto.newBuilder()
                .setName("shop/order.proto")
                .setPackage("shop")
                .addDependency("shop/customer.proto")
                .addMessageType(DescriptorProto.newBuilder().setName("Refund"))
                .addMessageType(
                    DescriptorProto.newBuilder()
                        .setName("Order")
                        .addField(
                            field("customer", 1).toBuilder()
                                .setType(FieldDescriptorProto.Type.TYPE_MESSAGE)
                                .setTypeName(".shop.Customer"))
                        .addNestedType(line))
                .build(),
            new FileDescriptor[] {customers});
    return orders.findMessageTypeByName("Order").findNestedTypeByName("Line");
  }

  @SuppressWarnings("unchecked")
  private static <F> F travelled(F value) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    return (F) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
  }

  @Test
  @Behaviour("H1: Protobuf messages with schemas in a registry are written and read over versions")
  void messagesOfSeveralVersionsAreReadAsOne() throws Exception {
    Descriptor before = line("item");
    Descriptor after = line("item", "colour");
    RegistryProtobufFormat<DynamicMessage> older =
        travelled(ProtobufFormat.dynamic(before).withRegistry(server.registry(), "orders"));
    RegistryProtobufFormat<DynamicMessage> newer =
        ProtobufFormat.dynamic(after).withRegistry(server.registry(), "orders");
    byte[] first =
        older.serialize(
            DynamicMessage.newBuilder(before)
                .setField(before.findFieldByName("item"), "ball")
                .build());
    byte[] second =
        newer.serialize(
            DynamicMessage.newBuilder(after)
                .setField(after.findFieldByName("item"), "hat")
                .setField(after.findFieldByName("colour"), "red")
                .build());

    // The imported file has id 1. Two indexes, 1 and 0, as zigzag varints.
    assertThat(first).startsWith(0, 0, 0, 0, 2, 4, 2, 0);
    assertThat(second).startsWith(0, 0, 0, 0, 3, 4, 2, 0);
    DynamicMessage readByOlder = older.deserialize(second);
    assertThat(text(readByOlder, "item")).isEqualTo("hat");
    DynamicMessage readByNewer = newer.deserialize(first);
    assertThat(text(readByNewer, "item")).isEqualTo("ball");
    assertThat(text(readByNewer, "colour")).isEqualTo("");
  }

  private static Object text(DynamicMessage message, String field) {
    return message.getField(message.getDescriptorForType().findFieldByName(field));
  }

  @Test
  void importedFilesAreRegisteredUnderTheirNames() throws Exception {
    Descriptor line = line("item");
    RegistryProtobufFormat<DynamicMessage> format =
        ProtobufFormat.dynamic(line).withRegistry(server.registry(), "orders");
    format.serialize(DynamicMessage.newBuilder(line).build());
    format.serialize(DynamicMessage.newBuilder(line).build());

    assertThat(server.requests())
        .containsExactly(
            "POST /subjects/shop%2Fcustomer.proto/versions",
            "POST /subjects/shop%2Fcustomer.proto", "POST /subjects/orders/versions");
    assertThat(server.schemas().get(1).get("references"))
        .hasToString(
            "[{\"name\":\"shop/customer.proto\",\"subject\":\"shop/customer.proto\",\"version\":1}]");
    assertThat(
            FileDescriptorProto.parseFrom(
                Base64.getDecoder().decode(server.schemas().get(1).get("schema").asText())))
        .isEqualTo(line.getFile().toProto());
  }

  @Test
  void messagesOfGeneratedClassesHaveTheirPlaceInTheFile() throws Exception {
    RegistryProtobufFormat<Struct> structs =
        ProtobufFormat.of(Struct.class).withRegistry(server.registry(), "structs");
    RegistryProtobufFormat<ListValue> lists =
        ProtobufFormat.of(ListValue.class).withRegistry(server.registry(), "structs");
    ListValue list = ListValue.newBuilder().addValues(Value.newBuilder().setNumberValue(2)).build();

    byte[] struct = structs.serialize(STRUCT);
    assertThat(struct).startsWith(0, 0, 0, 0, 1, 0).endsWith(STRUCT.toByteArray());
    assertThat(lists.serialize(list)).startsWith(0, 0, 0, 0, 1, 2, 4).endsWith(list.toByteArray());
    assertThat(structs.deserialize(struct)).isEqualTo(STRUCT);
    assertThat(lists.deserialize(lists.serialize(list))).isEqualTo(list);
    assertThatThrownBy(() -> structs.deserialize(lists.serialize(list)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessage(
            "The message is a google.protobuf.ListValue, and google.protobuf.Struct is read.");
  }

  @Test
  void aRegistryThatAnswersWithTheTextOfTheFileServes() throws Exception {
    RegistryProtobufFormat<Struct> format =
        ProtobufFormat.of(Struct.class).withRegistry(server.registry(), "structs");
    byte[] message = format.serialize(STRUCT);
    server.answerWith(
        "{\"schemaType\":\"PROTOBUF\",\"schema\":\"syntax = \\\"proto3\\\"; message Struct {}\"}");
    assertThat(format.deserialize(message)).isEqualTo(STRUCT);
  }

  @Test
  void messagesWithoutAKnownSchemaAreBadAndAnOutageIsNot() throws Exception {
    RegistryProtobufFormat<Struct> format =
        ProtobufFormat.of(Struct.class).withRegistry(server.registry(), "structs");
    format.serialize(STRUCT);
    List<byte[]> bad =
        List.of(
            new byte[] {},
            new byte[] {0, 0, 0, 0, 1},
            new byte[] {1, 0, 0, 0, 1, 0},
            // Of no schema.
            new byte[] {0, 0, 0, 0, 9, 0},
            // Without indexes, or with ones that the file does not have.
            new byte[] {0, 0, 0, 0, 1, 1},
            new byte[] {0, 0, 0, 0, 1, -2, -1, -1, -1, 15},
            new byte[] {0, 0, 0, 0, 1, 2, 6},
            new byte[] {0, 0, 0, 0, 1, 2, 1});
    for (byte[] message : bad) {
      assertThatThrownBy(() -> format.deserialize(message))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
    }
    server.failWith(503);
    RegistryProtobufFormat<Struct> another =
        ProtobufFormat.of(Struct.class).withRegistry(server.registry(), "structs");
    assertThatThrownBy(() -> another.deserialize(new byte[] {0, 0, 0, 0, 1, 0}))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
        .hasMessageContaining("status 503");
  }
}
