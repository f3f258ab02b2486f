package io.millrace.core.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IdsTest {
  @Test
  void idIsPrintedAsThirtyTwoDigitsAndParsed() {
    Id128 id = new Id128(0x1L, 0xfedcba9876543210L);
    assertThat(id).hasToString("0000000000000001fedcba9876543210");
    assertThat(Id128.parse(id.toString())).isEqualTo(id);
    assertThat(Id128.parse("0000000000000001FEDCBA9876543210")).isEqualTo(id);
  }

  @Test
  void otherTextIsNotAnId() {
    for (String text : List.of("", "12", "g".repeat(32), "0".repeat(33), "０".repeat(32))) {
      assertThatThrownBy(() -> JobId.parse(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("32 hex digits");
    }
  }

  @Test
  void typedIdsRoundTrip() {
    Random random = new Random(7);
    JobId job = JobId.random(random);
    VertexId vertex = VertexId.random(random);
    OperatorId operator = OperatorId.random(random);
    InstanceId instance = InstanceId.random(random);
    ExecutionId execution = ExecutionId.random(random);
    AllocationId allocation = AllocationId.random(random);
    DataSetId dataSet = DataSetId.random(random);
    assertThat(JobId.parse(job.toString())).isEqualTo(job);
    assertThat(VertexId.parse(vertex.toString())).isEqualTo(vertex);
    assertThat(OperatorId.parse(operator.toString())).isEqualTo(operator);
    assertThat(InstanceId.parse(instance.toString())).isEqualTo(instance);
    assertThat(ExecutionId.parse(execution.toString())).isEqualTo(execution);
    assertThat(AllocationId.parse(allocation.toString())).isEqualTo(allocation);
    assertThat(DataSetId.parse(dataSet.toString())).isEqualTo(dataSet);
  }

  @Test
  void sameSeedGeneratesTheSameIds() {
    assertThat(JobId.random(new Random(1))).isEqualTo(JobId.random(new Random(1)));
    assertThat(JobId.random(new Random(1))).isNotEqualTo(JobId.random(new Random(2)));
  }

  @Test
  void idsSortAsTheyArePrinted() {
    Random random = new Random(3);
    for (int i = 0; i < 1000; i++) {
      Id128 left = new Id128(random.nextInt(3) - 1L, random.nextLong());
      Id128 right = new Id128(random.nextInt(3) - 1L, random.nextLong());
      assertThat(Integer.signum(left.compareTo(right)))
          .isEqualTo(Integer.signum(left.toString().compareTo(right.toString())));
    }
  }

  @Test
  void blobKeyIsTheDigestOfTheContent() {
    BlobKey key = BlobKey.of(Bytes.utf8("abc"));
    assertThat(key).hasToString("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assertThat(new BlobKey(key.sha256())).isEqualTo(key);
    assertThatThrownBy(() -> new BlobKey("../" + "0".repeat(61)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("64 lower-case hex digits");
    assertThatThrownBy(() -> new BlobKey("A".repeat(64)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void rejectsEmptyWorkerIdAndNegativeSlotIndex() {
    assertThat(new SlotId(new WorkerId("tm-1"), 2)).hasToString("tm-1#2");
    assertThatThrownBy(() -> new WorkerId(" ")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new WorkerId("x".repeat(256)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new SlotId(new WorkerId("tm-1"), -1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
