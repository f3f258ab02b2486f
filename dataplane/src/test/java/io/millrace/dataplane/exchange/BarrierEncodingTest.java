package io.millrace.dataplane.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.CheckpointRequest.Barriers;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BarrierEncodingTest {
  private static CheckpointRequest request(
      CheckpointRequest.Type type, Barriers barriers, String directory) {
    return new CheckpointRequest(
        Long.MAX_VALUE, -1, type, barriers, directory, directory + "/shared", Integer.MAX_VALUE);
  }

  private static byte[] encoded(CheckpointRequest request) {
    ByteArrayOutput out = new ByteArrayOutput();
    BarrierEncoding.encode(request, out);
    return Arrays.copyOf(out.array(), out.size());
  }

  private static CheckpointRequest decoded(byte[] bytes) {
    return BarrierEncoding.decode(new ByteArrayInput(bytes, 0, bytes.length));
  }

  @Test
  void requestsArriveAsTheyWere() {
    for (CheckpointRequest.Type type : CheckpointRequest.Type.values()) {
      for (Barriers barriers :
          new Barriers[] {
            Barriers.ALIGNED, Barriers.UNALIGNED, new Barriers(true, Duration.ofDays(1))
          }) {
        for (String directory :
            new String[] {"", "file:/a b/\u00e4\ud83d\ude00", "d".repeat(4089)}) {
          CheckpointRequest request = request(type, barriers, directory);
          BarrierEncoding.check(request);
          assertThat(decoded(encoded(request))).isEqualTo(request);
        }
      }
    }
  }

  @Test
  void aPathThatIsTooLongIsRefusedBeforeItIsSent() {
    CheckpointRequest request =
        request(CheckpointRequest.Type.CHECKPOINT, Barriers.ALIGNED, "\u00e4".repeat(2_048));
    assertThatThrownBy(() -> BarrierEncoding.check(request))
        .isInstanceOf(MillraceException.class)
        .hasMessage(
            "The path of a checkpoint directory has 4103 bytes; the maximum is 4096. Use a shorter"
                + " one.");
  }

  @Test
  void whatIsNoRequestIsRefused() {
    byte[] whole =
        encoded(request(CheckpointRequest.Type.SAVEPOINT, Barriers.UNALIGNED, "file:/directory"));
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> decoded(cut)).isInstanceOf(MillraceException.class);
    }
    assertThatThrownBy(() -> decoded(Arrays.copyOf(whole, whole.length + 3)))
        .isInstanceOf(MillraceException.class)
        .hasMessage("A checkpoint barrier has 3 more bytes");
    Random random = new Random(11);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = whole.clone();
      for (int times = random.nextInt(3); times >= 0; times--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      try {
        decoded(changed);
      } catch (MillraceException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(1_000);
  }
}
