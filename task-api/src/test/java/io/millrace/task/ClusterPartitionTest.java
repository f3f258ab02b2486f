package io.millrace.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterPartitionTest {
  private static final DataSetId DATA_SET = new DataSetId(new Id128(0, 1));
  private static final JobId PRODUCER = new JobId(new Id128(0, 2));
  private static final ClusterPartition PARTITION =
      new ClusterPartition(DATA_SET, PRODUCER, 0, 1, 4);

  @Test
  void peopleCountPartitionsFromOne() {
    assertThat(PARTITION).hasToString("partition 2/4 of data set " + DATA_SET);
  }

  @Test
  void finishedPartitionHasTheTermOfItsLeader() {
    ClusterPartition finished = PARTITION.finishedIn(7);

    assertThat(finished).isEqualTo(new ClusterPartition(DATA_SET, PRODUCER, 7, 1, 4));
    assertThat(finished).isNotEqualTo(PARTITION.finishedIn(8)).isNotEqualTo(PARTITION);
  }

  @ParameterizedTest
  @CsvSource({"0, 0, -1", "-1, 3, 2", "3, 3, 2"})
  void refusesAnIndexOutsideOfTheDataSet(int index, int total, int last) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ClusterPartition(DATA_SET, PRODUCER, 0, index, total))
        .withMessage("index must be in 0.." + last + ", not " + index);
  }

  @Test
  void lossSaysWhereThePartitionWasAndWhatToDo() {
    LostPartitionException lost = new LostPartitionException(PARTITION, "w1:4711", "it is deleted");

    assertThat(lost.kind()).isEqualTo(ErrorKind.EXTERNAL);
    assertThat(lost)
        .hasMessage(
            "The cached partition 2/4 of data set "
                + DATA_SET
                + " cannot be read from TaskManager w1:4711: it is deleted. Execute the job again;"
                + " it computes the lost data set again.");
  }

  @Test
  void lossIsRecognisedInAFailureOfAnotherProcess() {
    LostPartitionException lost = new LostPartitionException(PARTITION, "w1:4711", "it is deleted");

    assertThat(LostPartitionException.caused(Failure.of(lost, ErrorKind.BUG))).isTrue();
    assertThat(
            LostPartitionException.caused(
                Failure.of(new CompletionException(lost), ErrorKind.BUG).withoutStack()))
        .isTrue();
    MillraceException other = new MillraceException(ErrorKind.EXTERNAL, lost.getMessage());
    assertThat(LostPartitionException.caused(Failure.of(other, ErrorKind.BUG))).isFalse();
  }
}
