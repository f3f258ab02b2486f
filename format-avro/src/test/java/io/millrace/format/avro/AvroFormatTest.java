package io.millrace.format.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.connector.files.FileRoundTrip;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.Test;

/** Records of Java, generated classes and generic records as messages. */
class AvroFormatTest {
  record Order(String customer, int amount) {}

  record WiderOrder(String customer, long amount, String note) {}

  private static long seed(int trial) {
    return Long.getLong("seed", System.nanoTime() + trial);
  }

  @Test
  @Behaviour("H1: Avro messages become records of Java, generated classes or generic records")
  void recordsOfAllTypesAreReadAsTheyWereWritten() throws Exception {
    AvroFormat<Sample> format = FileRoundTrip.travelled(AvroFormat.of(Sample.class));
    for (int trial = 0; trial < 500; trial++) {
      long seed = seed(trial);
      Sample sample = Sample.random(new Random(seed));
      assertThat(format.deserialize(format.serialize(sample)))
          .as("seed %d", seed)
          .isEqualTo(sample);
    }
    // Also after it was used.
    Sample sample = Sample.random(new Random(1));
    byte[] message = format.serialize(sample);
    assertThat(FileRoundTrip.travelled(format).deserialize(message)).isEqualTo(sample);
  }

  @Test
  @Behaviour("H1: Avro messages become records of Java, generated classes or generic records")
  void generatedClassesAndGenericRecords() throws Exception {
    AvroFormat<Payment> generated = FileRoundTrip.travelled(AvroFormat.of(Payment.class));
    Payment payment = new Payment("a", 7);
    byte[] message = generated.serialize(payment);
    assertThat(generated.deserialize(message)).isInstanceOf(Payment.class).isEqualTo(payment);

    AvroFormat<GenericRecord> generic =
        FileRoundTrip.travelled(AvroFormat.generic(Payment.SCHEMA$));
    GenericRecord record =
        new GenericRecordBuilder(Payment.SCHEMA$).set("payer", "b").set("cents", 8L).build();
    assertThat(generated.deserialize(generic.serialize(record))).isEqualTo(new Payment("b", 8));
    assertThat(generic.deserialize(message).get("cents")).isEqualTo(7L);
  }

  @Test
  void messagesOfAnOlderSchemaGetDefaults() throws Exception {
    byte[] old = AvroFormat.of(Order.class).serialize(new Order("a", 3));
    Schema writer = AvroType.of(Order.class).schema();
    Schema reader =
        new Schema.Parser()
            .parse(
                AvroType.of(WiderOrder.class)
                    .schema()
                    .toString()
                    .replace("AvroFormatTest_WiderOrder", "AvroFormatTest_Order"));
    assertThat(
            AvroFormat.of(AvroType.of(WiderOrder.class, reader))
                .writtenWith(writer)
                .deserialize(old))
        .isEqualTo(new WiderOrder("a", 3, null));
  }

  @Test
  void schemasOfOthersAreMappedByName() throws Exception {
    record Price(BigDecimal value, byte[] code, Instant at) {}
    Schema decimal = LogicalTypes.decimal(10, 2).addToSchema(Schema.create(Schema.Type.BYTES));
    Schema millis = LogicalTypes.timestampMillis().addToSchema(Schema.create(Schema.Type.LONG));
    Schema schema =
        SchemaBuilder.record("Price")
            .fields()
            .name("at")
            .type(millis)
            .noDefault()
            .name("value")
            .type(decimal)
            .noDefault()
            .name("code")
            .type(Schema.createFixed("Code", null, null, 3))
            .noDefault()
            .endRecord();
    AvroFormat<Price> format = AvroFormat.of(AvroType.of(Price.class, schema));
    Price read =
        format.deserialize(
            format.serialize(
                new Price(new BigDecimal("1.5"), new byte[] {1, 2, 3}, Instant.ofEpochMilli(7))));
    assertThat(read.value()).isEqualTo(new BigDecimal("1.50"));
    assertThat(read.code()).containsExactly(1, 2, 3);
    assertThat(read.at()).isEqualTo(Instant.ofEpochMilli(7));
    assertThatThrownBy(
            () ->
                format.serialize(
                    new Price(new BigDecimal("1.555"), new byte[3], Instant.ofEpochMilli(7))))
        .hasMessageContaining("Field value of Price");
    assertThatThrownBy(
            () -> format.serialize(new Price(BigDecimal.ONE, new byte[2], Instant.EPOCH)))
        .hasMessageContaining("3 bytes");
    assertThatThrownBy(
            () ->
                format.serialize(
                    new Price(BigDecimal.ONE, new byte[3], Instant.EPOCH.plusNanos(1))))
        .hasMessageContaining("truncatedTo(ChronoUnit.MILLIS)");
  }

  @Test
  void whatDoesNotFitIsRefusedWithItsName() {
    record Odd(Object value) {}
    assertThatThrownBy(() -> AvroFormat.of(Odd.class))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("java.lang.Object in the field value of");
    assertThatThrownBy(() -> AvroType.of(Order.class, Payment.SCHEMA$))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("has a field payer");
    assertThatThrownBy(() -> AvroType.generic(Schema.create(Schema.Type.INT)))
        .isInstanceOf(MillraceException.class);
    assertThatThrownBy(() -> AvroType.of(GenericRecord.class))
        .hasMessageContaining("AvroType.generic");
  }

  @Test
  void messagesThatAreNoRecordAreRefused() throws Exception {
    AvroFormat<Sample> format = AvroFormat.of(Sample.class);
    byte[] message = format.serialize(Sample.random(new Random(5)));
    for (int length = 0; length < message.length; length++) {
      byte[] cut = Arrays.copyOf(message, length);
      assertThatThrownBy(() -> format.deserialize(cut)).isInstanceOf(Exception.class);
    }
    assertThatThrownBy(() -> format.deserialize(Arrays.copyOf(message, message.length + 1)))
        .isInstanceOf(Exception.class);
  }

  @Test
  void genericRecordsTravelWithoutTheirSchema() throws Exception {
    GenericRecordSerializer serializer =
        FileRoundTrip.travelled(GenericRecordSerializer.of(Payment.SCHEMA$));
    GenericData.Record record =
        new GenericRecordBuilder(Payment.SCHEMA$).set("payer", "b").set("cents", 8L).build();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    serializer.write(record, new DataOutputStream(bytes));
    assertThat(bytes.size()).isLessThan(10);
    assertThat(serializer.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))))
        .isEqualTo(record);
    GenericData.Record other = new GenericData.Record(AvroType.of(Order.class).schema());
    assertThatThrownBy(() -> serializer.write(other, new DataOutputStream(bytes)))
        .isInstanceOf(MillraceException.class);
  }
}
