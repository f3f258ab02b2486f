package io.millrace.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class TopicRecordsTest {
  @Test
  void recordsHave100BytesAndAreParsedAsTheyWereMade() {
    TopicRecords records = new TopicRecords(2);
    TopicParser parser = new TopicParser(false);
    for (int i = 0; i < 1000; i++) {
      records.advance();
      byte[] bytes = records.bytes();
      assertThat(bytes).hasSize(100);
      Payload payload = parser.parse(bytes);
      assertThat(payload.key).isEqualTo(records.key()).isBetween(0L, TopicRecords.KEYS - 1L);
      assertThat(payload.value).isEqualTo(records.timestamp()).isEqualTo((i + 1) / 50);
      assertThat(ByteBuffer.wrap(bytes, 16, 84)).isEqualTo(ByteBuffer.wrap(payload.body));
    }
  }

  @Test
  void onlyAReusingParserReturnsTheSameObjectAgain() {
    TopicRecords records = new TopicRecords(0);
    records.advance();
    byte[] first = records.bytes();
    records.advance();
    byte[] second = records.bytes();
    TopicParser reusing = new TopicParser(true);
    assertThat(reusing.parse(first)).isSameAs(reusing.parse(second));
    TopicParser fresh = new TopicParser(false);
    Payload before = fresh.parse(first);
    byte[] body = before.body.clone();
    assertThat(fresh.parse(second)).isNotSameAs(before);
    assertThat(before.body).isEqualTo(body);
  }

  @Test
  void partitionsHaveDifferentKeys() {
    TopicRecords one = new TopicRecords(0);
    TopicRecords other = new TopicRecords(1);
    int equal = 0;
    for (int i = 0; i < 1000; i++) {
      one.advance();
      other.advance();
      equal += one.key() == other.key() ? 1 : 0;
    }
    assertThat(equal).isLessThan(20);
  }
}
