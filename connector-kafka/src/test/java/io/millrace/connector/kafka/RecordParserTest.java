package io.millrace.connector.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** What is a bad record and what is not. */
class RecordParserTest {
  private static final ConsumerRecord<byte[], byte[]> RECORD =
      new ConsumerRecord<>("topic", 0, 7, new byte[0], new byte[] {1});

  private static RecordParser<String> skipping(ErrorKind kind) {
    return new RecordParser<>(
        KafkaRecordDeserializer.values(
            message -> {
              throw new MillraceException(kind, "refused");
            }),
        BadRecords.skip());
  }

  @Test
  void aFormatWhoseRegistryIsAwayDoesNotGiveUpTheRecord() {
    List<String> out = new ArrayList<>();
    RecordParser<String> bad = skipping(ErrorKind.USER);
    bad.emit(RECORD, out::add);
    assertThat(bad.skipped()).isEqualTo(1);
    RecordParser<String> unavailable = skipping(ErrorKind.EXTERNAL);
    assertThatThrownBy(() -> unavailable.emit(RECORD, out::add))
        .isInstanceOf(MillraceException.class)
        .hasMessage("refused");
    assertThat(unavailable.skipped()).isZero();
    assertThat(out).isEmpty();
  }
}
