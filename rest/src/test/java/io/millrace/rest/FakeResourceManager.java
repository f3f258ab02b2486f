package io.millrace.rest;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.testing.ResourceManagerStub;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Rpc;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A ResourceManager with workers that tests set. It supports only what REST calls. */
final class FakeResourceManager extends Endpoint implements ResourceManagerStub {
  final List<WorkerInfo> workers = new CopyOnWriteArrayList<>();
  final List<DataSetInfo> dataSets = new CopyOnWriteArrayList<>();

  /** The answer to the release of a data set. */
  volatile Function<DataSetId, CompletableFuture<Acknowledge>> release =
      id -> CompletableFuture.completedFuture(Acknowledge.INSTANCE);

  private final List<Block> blocks = new CopyOnWriteArrayList<>();

  FakeResourceManager(Rpc rpc, LeaderToken token) {
    super(rpc, "resourcemanager", Optional.of(token));
  }

  @Override
  public CompletableFuture<Acknowledge> block(Block block) {
    blocks.add(block);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> unblock(Unblock request) {
    if (!blocks.removeIf(block -> block.target().equals(request.target()))) {
      throw new MillraceException(ErrorKind.USER, request.target() + " is not blocked.");
    }
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Blocks> listBlocks(ListBlocks request) {
    return CompletableFuture.completedFuture(new Blocks(blocks));
  }

  @Override
  public CompletableFuture<Workers> listWorkers(ListWorkers request) {
    return CompletableFuture.completedFuture(new Workers(workers));
  }

  @Override
  public CompletableFuture<DataSets> listDataSets(ListDataSets request) {
    return CompletableFuture.completedFuture(
        new DataSets(
            dataSets.stream()
                .map(known -> new DataSetEntry(known.id(), known.isComplete()))
                .toList()));
  }

  @Override
  public CompletableFuture<DataSetAnswer> describeDataSet(DescribeDataSet request) {
    return CompletableFuture.completedFuture(
        new DataSetAnswer(
            dataSets.stream().filter(known -> known.id().equals(request.id())).findFirst()));
  }

  @Override
  public CompletableFuture<Acknowledge> releaseDataSet(ReleaseDataSet request) {
    return release.apply(request.id());
  }
}
