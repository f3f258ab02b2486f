package io.millrace.format.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.TypeProto;
import com.google.protobuf.Value;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Messages of generated classes, here those of the library itself, and of descriptors. */
class ProtobufFormatTest {
  @SuppressWarnings("unchecked")
  private static <F> F travelled(F value) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (F) in.readObject();
    }
  }

  private static Value value(Random random, int depth) {
    Value.Builder value = Value.newBuilder();
    switch (random.nextInt(depth == 0 ? 3 : 5)) {
      case 0 -> value.setBoolValue(random.nextBoolean());
      case 1 -> value.setNumberValue(random.nextDouble());
      case 2 -> value.setStringValue("t" + random.nextInt());
      case 3 -> value.setStructValue(struct(random, depth - 1));
      default -> value.setListValue(ListValue.newBuilder().addValues(value(random, depth - 1)));
    }
    return value.build();
  }

  private static Struct struct(Random random, int depth) {
    Struct.Builder struct = Struct.newBuilder();
    for (int i = random.nextInt(5); i > 0; i--) {
      struct.putFields("f" + random.nextInt(), value(random, depth));
    }
    return struct.build();
  }

  @Test
  @Behaviour("H1: Protobuf messages are read by generated classes or by descriptors")
  void messagesAreReadByClassAndByDescriptor() throws Exception {
    ProtobufFormat<Struct> generated = travelled(ProtobufFormat.of(Struct.class));
    ProtobufFormat<DynamicMessage> dynamic =
        travelled(ProtobufFormat.dynamic(Struct.getDescriptor()));
    for (int trial = 0; trial < 200; trial++) {
      long seed = Long.getLong("seed", System.nanoTime() + trial);
      Struct struct = struct(new Random(seed), 3);
      byte[] message = generated.serialize(struct);
      assertThat(generated.deserialize(message)).as("seed %d", seed).isEqualTo(struct);
      // Maps of dynamic messages have no order.
      byte[] again = dynamic.serialize(dynamic.deserialize(message));
      assertThat(generated.deserialize(again)).as("seed %d", seed).isEqualTo(struct);
    }
    // Also after they were used.
    assertThat(travelled(generated).deserialize(new byte[0]))
        .isEqualTo(Struct.newBuilder().build());
  }

  @Test
  void descriptorsOfProtocNameTheMessage() throws Exception {
    byte[] files =
        FileDescriptorSet.newBuilder()
            .addFile(com.google.protobuf.AnyProto.getDescriptor().toProto())
            .addFile(com.google.protobuf.SourceContextProto.getDescriptor().toProto())
            .addFile(TypeProto.getDescriptor().toProto())
            .build()
            .toByteArray();
    ProtobufFormat<DynamicMessage> format =
        travelled(ProtobufFormat.dynamic(files, "google.protobuf.Type"));
    com.google.protobuf.Type type = com.google.protobuf.Type.newBuilder().setName("x").build();
    DynamicMessage read = format.deserialize(type.toByteArray());
    assertThat(read.getField(read.getDescriptorForType().findFieldByName("name"))).isEqualTo("x");
    assertThatThrownBy(() -> ProtobufFormat.dynamic(files, "google.protobuf.Missing"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("no message google.protobuf.Missing");
    byte[] incomplete =
        FileDescriptorSet.newBuilder()
            .addFile(TypeProto.getDescriptor().toProto())
            .build()
            .toByteArray();
    assertThatThrownBy(() -> ProtobufFormat.dynamic(incomplete, "google.protobuf.Type"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("--include_imports");
    assertThatThrownBy(() -> ProtobufFormat.dynamic(new byte[] {7, 7, 7}, "x"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("FileDescriptorSet");
  }

  @Test
  void whatIsNoMessageIsRefused() {
    ProtobufFormat<Struct> format = ProtobufFormat.of(Struct.class);
    byte[] message = format.serialize(struct(new Random(4), 3));
    assertThat(message.length).isGreaterThan(10);
    assertThatThrownBy(
            () -> format.deserialize(java.util.Arrays.copyOf(message, message.length - 1)))
        .isInstanceOf(Exception.class);
    assertThatThrownBy(() -> ProtobufFormat.of(Message.class))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("no class that Protobuf has generated");
  }

  @Test
  void messagesTravelBetweenTasks() throws Exception {
    ProtobufSerializer<Struct> serializer = travelled(ProtobufSerializer.of(Struct.class));
    Struct struct = struct(new Random(9), 2);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    serializer.write(struct, new DataOutputStream(bytes));
    assertThat(serializer.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))))
        .isEqualTo(struct);
  }
}
