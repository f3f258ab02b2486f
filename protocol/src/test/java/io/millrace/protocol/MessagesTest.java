package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.RpcError;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MessagesTest {
  private final RecordCodec codec = RecordCodec.of(Messages.table());

  @Test
  void everyMessageOfTheTableCanBeEncoded() {
    codec.checkAll();
    assertThat(Messages.table()).hasSizeGreaterThan(50).doesNotHaveDuplicates();
  }

  @Test
  void tableIsDeterministic() {
    assertThat(Messages.table()).isEqualTo(Messages.table());
  }

  @Test
  void envelopesCarryMessagesOfTheTable() {
    var message = new SubmitJob(JobId.random(new Random(1)), BlobKey.of(Bytes.utf8("graph")));
    var call = new Envelope.Call("dispatcher", Optional.empty(), 7, 100, 3, message);
    assertThat(codec.decode(codec.encode(call))).isEqualTo(call);
  }

  @Test
  void envelopesCarryNoOtherMessages() {
    record Unlisted(int number) {}
    var call = new Envelope.Call("dispatcher", Optional.empty(), 7, 100, 3, new Unlisted(1));
    assertThatThrownBy(() -> codec.encode(call))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Unlisted");
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

  /** Heartbeats have their own connection, on which no other message delays them. */
  @Test
  void heartbeatsAreTheRequestsOfHeartbeatMethods() {
    List<Class<?>> requests =
        Stream.of(
                DispatcherGateway.class,
                ResourceManagerGateway.class,
                JobMasterGateway.class,
                TaskManagerGateway.class,
                BlobGateway.class)
            .flatMap(gateway -> Arrays.stream(gateway.getDeclaredMethods()))
            .filter(method -> method.getName().startsWith("heartbeatFrom"))
            .<Class<?>>map(method -> method.getParameterTypes()[0])
            .toList();

    assertThat(requests).hasSize(3);
    assertThat(Messages.table())
        .filteredOn(Messages::isHeartbeat)
        .containsExactlyInAnyOrderElementsOf(
            requests.stream()
                .<Class<? extends Record>>map(request -> request.asSubclass(Record.class))
                .toList());
  }

  @Test
  void archivesHoldNoFunctions() {
    for (int seed = 0; seed < 20; seed++) {
      ArchivedJob archived = RecordGenerator.ofSeed(seed).record(ArchivedJob.class);
      assertThat(archived.details().graph().vertices())
          .flatExtracting(JobVertex::operators)
          .allSatisfy(operator -> assertThat(operator.spec().isEmpty()).isTrue());
      assertThat(archived.details().graph().serializers().isEmpty()).isTrue();
    }
  }

  @Test
  void slotsOfAJobAreCountedOverAllProfiles() {
    JobSlots slots =
        new JobSlots(
            List.of(new JobSlots.Need("small", 4, 1), new JobSlots.Need("large", 2, 2)), List.of());
    assertThat(slots.required()).isEqualTo(6);
    assertThat(slots.missing()).isEqualTo(3);
    assertThat(JobSlots.NONE.required()).isZero();
  }

  @Test
  void jobMastersHaveANamePerJob() {
    JobId job = JobId.random(new Random(1));
    assertThat(ComponentNames.jobMaster(job)).isEqualTo("jobmaster-" + job);
  }
}
