package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.id.BlobKey;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.ResultAnswer;
import io.millrace.task.TaskState;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of storage without free file descriptors, and of unused uploads. */
class StorageUnderPressureTest extends WithDispatcher {
  private static final Duration RETENTION = Configuration.EMPTY.get(RestOptions.UPLOAD_RETENTION);

  @Test
  void waitsForDescriptorsToStoreAResult() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    FakeTaskManager worker = worker(graph.id(), "one");
    store.withoutDescriptors = true;
    store.failures = Integer.MAX_VALUE;
    worker.all(TaskState.FINISHED);
    world.env.advance(MINUTE);
    assertThat(fatal).isEmpty();

    store.failures = 0;
    CompletableFuture<ResultAnswer> waiting =
        dispatcher().awaitResult(new AwaitResult(graph.id(), MINUTE));
    world.env.advance(Duration.ofSeconds(8));

    assertThat(world.env.answer(waiting).result()).isPresent();
    assertThat(fatal).isEmpty();
  }

  @Test
  void waitsForDescriptorsToRecover() throws IOException {
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    world.settled(runner.stop());
    store.withoutDescriptors = true;
    store.failures = 20;

    startDispatcher(Configuration.EMPTY);
    assertThat(world.leader(ComponentNames.DISPATCHER)).isEmpty();
    world.env.advance(MINUTE);

    assertThat(fatal).isEmpty();
    assertThat(list()).hasSize(1);
    finish(graph.id());
    assertThat(fatal).isEmpty();
  }

  @Test
  void removesUploadsWithoutASubmission() throws IOException {
    world.settled(runner.stop());
    startDispatcher(Configuration.EMPTY.with(RpcOptions.ASK_TIMEOUT, MINUTE));
    JobGraph graph = Graphs.pair(1).build();
    world.settled(submit(graph));
    BlobKey unused = blobs.put(Bytes.utf8("the client died after this"));

    world.env.advance(RETENTION.dividedBy(2));
    BlobKey used = blobs.put(Bytes.utf8("and another is about to submit"));
    world.env.advance(RETENTION.multipliedBy(2));

    assertThat(blobs.contains(unused)).isFalse();
    assertThat(blobs.contains(key(graph))).as("needed by a running job").isTrue();
    assertThat(blobs.contains(used)).as("unused for long enough, too").isFalse();
  }

  @Test
  void keepsUploadsThatClientsQuery() throws IOException {
    BlobKey queried = blobs.put(Bytes.utf8("a jar that is being submitted"));
    for (int i = 0; i < 5; i++) {
      world.env.advance(RETENTION);
      assertThat(blobs.contains(queried)).isTrue();
    }
    world.env.advance(RETENTION.multipliedBy(3));
    assertThat(blobs.contains(queried)).isFalse();
  }
}
