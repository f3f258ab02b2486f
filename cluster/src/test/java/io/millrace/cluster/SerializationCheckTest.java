package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.example.Parcel;
import com.example.ParcelSerializer;
import com.example.Sealed;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.IndexFunction;
import io.millrace.api.serialization.Serializer;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.error.MillraceException;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Serialisation errors that an embedded cluster finds before records are sent to other processes.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class SerializationCheckTest {
  private static final int RECORDS = 100;

  @Test
  void unserializableRecordFailsJobWithAdvice() {
    assertThatThrownBy(() -> addresses(index -> handled(index), 1000))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Operator 'Source: generator'")
        .hasMessageContaining("failed on record Parcel to 0")
        .hasMessageContaining("Parcel.handler is a java.lang.Thread")
        .hasMessageContaining("Make the field transient")
        .hasMessageContaining("env.registerSerializer(java.lang.Thread.class")
        .hasMessageContaining("every 1000th record")
        .hasMessageContaining("embedded.serialization-check.interval");
  }

  @Test
  void namesUnserializableFieldAlsoIfNull() {
    assertThatThrownBy(
            () ->
                run(
                    () ->
                        env(1)
                            .generate(index -> new Sealed(null), 10)
                            .rebalance()
                            .map(Object::toString)
                            .collect()
                            .toList()))
        .hasMessageContaining("Sealed.by is declared as a java.lang.Thread");
  }

  @Test
  void checksFirstAndEachNthRecord() throws Exception {
    assertThatThrownBy(() -> addresses(index -> index == 7 ? handled(index) : plain(index), 1))
        .hasMessageContaining("record Parcel to 7");
    assertThat(addresses(index -> index == 7 ? handled(index) : plain(index), RECORDS))
        .hasSize(RECORDS);
    assertThatThrownBy(() -> addresses(index -> index == 90 ? handled(index) : plain(index), 30))
        .hasMessageContaining("record Parcel to 90");
  }

  @Test
  void checkCanBeDisabled() throws Exception {
    assertThat(addresses(index -> handled(index), 0)).hasSize(RECORDS);
  }

  @Test
  void checkedRecordsAreDeserializedCopies() throws Exception {
    List<Boolean> identities =
        run(
            () ->
                env(1)
                    .generate(index -> new Parcel("" + index, null, Thread.currentThread()), 10)
                    .rebalance()
                    .map(Parcel::isWitnessed)
                    .collect()
                    .toList());
    assertThat(identities).hasSize(10).containsOnly(false);
  }

  @Test
  void elementsNeedNotBeSerializable() throws Exception {
    Parcel parcel = new Parcel("here", null, null);
    List<Object> elements =
        run(
            () ->
                env(1)
                    .<Object>fromElements(
                        parcel, List.of(parcel), Optional.of(parcel), TimeUnit.DAYS, "text", 7)
                    .map(element -> element)
                    .collect()
                    .toList());
    assertThat(elements)
        .containsExactlyInAnyOrder(
            parcel, List.of(parcel), Optional.of(parcel), TimeUnit.DAYS, "text", 7);
  }

  @Test
  void elementsAreWrittenByRegisteredSerializers() throws Exception {
    List<Boolean> handled =
        run(
            () -> {
              StreamEnvironment env = env(1);
              var parcels = env.fromElements(handled(1), plain(2));
              // A serializer that is registered later is used, too.
              env.registerSerializer(Parcel.class, new ParcelSerializer());
              return parcels.map(Parcel::isHandled).collect().toList();
            });
    assertThat(handled).containsExactlyInAnyOrder(true, false);
  }

  @Test
  void elementsThatAreNoRecordsMayBeSerializable() throws Exception {
    List<String> names =
        run(() -> env(1).fromElements(new File("a/b")).map(File::getName).collect().toList());
    assertThat(names).containsExactly("b");
  }

  @Test
  void namesUnserializableElement() {
    assertThatThrownBy(() -> run(() -> env(1).fromElements(handled(1)).collect().toList()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Parcel.handler is a java.lang.Thread");
  }

  @Test
  void registeredSerializersWriteRecordsAndKeys() throws Exception {
    List<Parcel> parcels =
        run(
            () ->
                env(1)
                    .registerSerializer(Parcel.class, new ParcelSerializer())
                    .generate(index -> List.of(handled(index)), RECORDS)
                    .rebalance()
                    .map(list -> list.get(0))
                    .startNewChain()
                    .rebalance()
                    .map(parcel -> parcel)
                    .collect()
                    .toList());
    assertThat(parcels).hasSize(RECORDS).allMatch(Parcel::isHandled).doesNotHaveDuplicates();
  }

  private static final class Forgetful implements Serializer<Parcel> {
    private static final long serialVersionUID = 1L;

    @Override
    public void write(Parcel parcel, DataOutput out) throws IOException {
      out.writeUTF(parcel.address());
      out.writeInt(1);
    }

    @Override
    public Parcel read(DataInput in) throws IOException {
      return new Parcel(in.readUTF(), null, null);
    }
  }

  @Test
  void namesSerializerThatReadsLessThanItWrote() {
    assertThatThrownBy(
            () ->
                run(
                    () ->
                        env(1)
                            .registerSerializer(Parcel.class, new Forgetful())
                            .generate(index -> plain(index), 10)
                            .rebalance()
                            .map(Parcel::address)
                            .collect()
                            .toList()))
        .hasMessageContaining("Forgetful of com.example.Parcel left 4 of")
        .hasMessageContaining("Read all of them");
  }

  @Test
  void rejectsSerializerOfInterface() {
    assertThatThrownBy(
            () ->
                run(
                    () ->
                        env(1)
                            .registerSerializer(
                                CharSequence.class,
                                new Serializer<CharSequence>() {
                                  private static final long serialVersionUID = 1L;

                                  @Override
                                  public void write(CharSequence value, DataOutput out) {}

                                  @Override
                                  public CharSequence read(DataInput in) {
                                    return "";
                                  }
                                })))
        .hasMessageContaining("No serializer can be registered for java.lang.CharSequence");
  }

  /** Like on a cluster, where the library is in the jar of the program. */
  @Test
  void jacksonTreesAreRecords() throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    List<String> counts =
        run(
            () ->
                env(1)
                    .fromElements("{\"k\": \"a\", \"n\": [1, 2]}", "{\"k\": \"a\"}")
                    .map(mapper::readTree)
                    .keyBy((JsonNode node) -> node.get("k").asText())
                    .reduce((one, other) -> other)
                    .map(JsonNode::toString)
                    .collect()
                    .toList());
    assertThat(counts).hasSize(2).contains("{\"k\":\"a\"}");
  }

  private static Parcel handled(long index) {
    return new Parcel("" + index, new Thread(() -> {}), null);
  }

  private static Parcel plain(long index) {
    return new Parcel("" + index, null, null);
  }

  private static List<String> addresses(IndexFunction<Parcel> parcels, int interval)
      throws Exception {
    return run(
        () ->
            env(interval)
                .parallelism(1)
                .generate(parcels, RECORDS)
                .rebalance()
                .map(Parcel::address)
                .collect()
                .toList());
  }

  private static StreamEnvironment env(int interval) {
    return StreamEnvironment.current()
        .parallelism(2)
        .configure(ExecutionOptions.SERIALIZATION_CHECK_INTERVAL.key(), String.valueOf(interval));
  }

  private static <T> T run(Callable<T> program) throws Exception {
    try (EmbeddedCluster cluster = new EmbeddedCluster(Configuration.EMPTY)) {
      return new ProgramContext(
              new ClusterJobExecutor(
                  cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE),
              Configuration.EMPTY)
          .during(program);
    }
  }
}
