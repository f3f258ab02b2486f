package io.millrace.dataplane.services;

import io.millrace.core.Bytes;
import io.millrace.core.config.Option;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.records.StateCodecs;
import io.millrace.dataplane.records.UserCodeObjectInputStream;
import io.millrace.dataplane.snapshot.StateFileSource;
import io.millrace.graph.JobGraph;
import io.millrace.task.Deployment;
import io.millrace.task.TaskListener;

/**
 * The values and services that the tasks of one deployment share.
 *
 * @param userClassLoader loads the classes of the program
 * @param listener receives states, counters, snapshots and collected records
 */
public record DeploymentContext(
    Deployment descriptor,
    ClassLoader userClassLoader,
    TaskListener listener,
    DataPlaneServices services,
    CodecPool codecs,
    StateCodecs stateCodecs) {
  /** The context of a deployment that has not run yet. */
  public static DeploymentContext of(
      Deployment descriptor,
      ClassLoader userClassLoader,
      TaskListener listener,
      DataPlaneServices services) {
    CodecPool codecs =
        new CodecPool(
            () ->
                new RecordBatchCodec(
                    userClassLoader,
                    services.cores()::outside,
                    UserCodeObjectInputStream.serializers(descriptor.graph(), userClassLoader)));
    StateCodecs stateCodecs =
        new StateCodecs(
            () ->
                new RecordBatchCodec(
                    userClassLoader,
                    services.cores()::outside,
                    UserCodeObjectInputStream.serializers(descriptor.graph(), userClassLoader),
                    true));
    return new DeploymentContext(
        descriptor, userClassLoader, listener, services, codecs, stateCodecs);
  }

  public JobGraph graph() {
    return descriptor.graph();
  }

  /** The value that the job sets, else that of the process. */
  public <T> T option(Option<T> option) {
    return graph().configuration().contains(option)
        ? graph().configuration().get(option)
        : services.configuration().get(option);
  }

  /** Where tasks read the state of a checkpoint. */
  public StateFileSource stateFiles() {
    return services.checkpoints().copies().source(graph().id(), services.files());
  }

  /** Deserialises a function or an operator with the class loader of the job. */
  public Object deserialize(Bytes serialized) {
    return UserCodeObjectInputStream.open(serialized, userClassLoader, this::records);
  }

  private Object[] records(Bytes batch) {
    RecordBatchCodec codec = codecs.borrowCodec();
    Object[] records = codec.decode(batch.unsafeArray(), 0, batch.length()).records();
    codecs.returnCodec(codec);
    return records;
  }
}
