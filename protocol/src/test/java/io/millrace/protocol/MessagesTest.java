package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.RpcError;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessagesTest {
  private final RecordCodec codec = RecordCodec.of(Messages.table());

  @Test
  void everyMessageOfTheTableCanBeEncoded() {
    codec.checkAll();
    assertThat(Messages.table()).hasSizeGreaterThan(50).doesNotHaveDuplicates();
  }

  @Test
  void tableIsTheSameEveryTime() {
    assertThat(Messages.table()).isEqualTo(Messages.table());
  }

  @Test
  void envelopesCarryMessagesOfTheTable() {
    var message = new SubmitJob(JobId.random(new Random(1)), BlobKey.of(Bytes.utf8("graph")));
    var call = new Envelope.Call("dispatcher", Optional.empty(), 7, 100, 3, message);
    assertThat(codec.decode(codec.encode(call))).isEqualTo(call);
  }

  @Test
  void envelopesDoNotCarryWhatIsNotInTheTable() {
    record Stranger(int number) {}
    var call = new Envelope.Call("dispatcher", Optional.empty(), 7, 100, 3, new Stranger(1));
    assertThatThrownBy(() -> codec.encode(call))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Stranger");
  }

  @Test
  void failuresTravelWithTheirCode() {
    var failed =
        new Envelope.Failed(
            7,
            new RpcError(
                RpcError.Code.FAILED,
                io.millrace.core.error.Failure.of(
                    io.millrace.core.error.ErrorKind.USER, "There is no such job")));
    assertThat(codec.decode(codec.encode(failed))).isEqualTo(failed);
  }
}
