package io.millrace.connector.kafka;

import io.millrace.core.testing.ReservedPorts;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A real broker in a process of its own, which can be killed and started again with its data. It
 * ends with the process of the tests.
 */
public final class KafkaBroker implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(2);
  private static KafkaBroker shared;

  private final Path directory;
  private final int port;
  private final String cluster;
  private final List<String> classPath;
  private Process process;

  private KafkaBroker(Path directory, List<String> classPath) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.classPath = classPath;
    this.port = ReservedPorts.next();
    byte[] id = new byte[16];
    java.nio.ByteBuffer.wrap(id).putLong(UUID.randomUUID().getMostSignificantBits() >>> 1);
    this.cluster = Base64.getUrlEncoder().withoutPadding().encodeToString(id);
    int controller = ReservedPorts.next();
    Files.writeString(
        directory.resolve("server.properties"),
        String.join(
            "\n",
            "process.roles=broker,controller",
            "node.id=1",
            "controller.quorum.voters=1@127.0.0.1:" + controller,
            "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller,
            "controller.listener.names=CONTROLLER",
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs=" + directory.resolve("data"),
            "num.partitions=1",
            "auto.create.topics.enable=false",
            "offsets.topic.num.partitions=1",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.num.partitions=2",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1",
            "transaction.abort.timed.out.transaction.cleanup.interval.ms=500",
            "group.initial.rebalance.delay.ms=0",
            "log.cleaner.dedupe.buffer.size=2097152",
            ""));
    Files.writeString(
        directory.resolve("logback.xml"),
        "<configuration><appender name='out' class='ch.qos.logback.core.ConsoleAppender'><encoder>"
            + "<pattern>%d %level %logger{20}: %msg%n</pattern></encoder></appender>"
            + "<root level='WARN'><appender-ref ref='out'/></root></configuration>");
  }

  /** The broker of all test classes of this module. */
  static synchronized KafkaBroker shared() throws Exception {
    if (shared == null) {
      shared = start(Path.of("target", "broker-" + ProcessHandle.current().pid()), Path.of("."));
    }
    return shared;
  }

  /**
   * @param module the directory of the module connector-kafka, which is built
   */
  public static KafkaBroker start(Path directory, Path module) throws Exception {
    List<String> classPath = new ArrayList<>();
    classPath.add(module.resolve("target/test-classes").toAbsolutePath().toString());
    classPath.add(Files.readString(module.resolve("target/broker.classpath")).trim());
    KafkaBroker broker = new KafkaBroker(directory.toAbsolutePath(), classPath);
    broker.start();
    return broker;
  }

  /** Starts the process again, with the same address and data, and waits until it serves. */
  public void start() throws Exception {
    Path log = directory.resolve("broker.log");
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlogback.configurationFile=" + directory.resolve("logback.xml"),
                "-cp",
                String.join(File.pathSeparator, classPath),
                "io.millrace.connector.kafka.KafkaBrokerProcess",
                directory.resolve("server.properties").toString(),
                cluster)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    long deadline = System.nanoTime() + START.toNanos();
    while (!serves()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        process.destroyForcibly();
        throw new IllegalStateException(
            "The broker did not start: " + Files.readString(log, StandardCharsets.UTF_8));
      }
      process.waitFor(50, TimeUnit.MILLISECONDS);
    }
  }

  private boolean serves() throws InterruptedException {
    try (java.net.Socket socket = new java.net.Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getInputStream();
    } catch (IOException e) {
      return false;
    }
    try (Admin admin = admin(Map.of("default.api.timeout.ms", 5000, "request.timeout.ms", 5000))) {
      return !admin.describeCluster().nodes().get().isEmpty();
    } catch (ExecutionException e) {
      return false;
    }
  }

  /** As {@code kill -9}. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  public String servers() {
    return "127.0.0.1:" + port;
  }

  private Admin admin(Map<String, Object> properties) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("bootstrap.servers", servers());
    return Admin.create(all);
  }

  /** An administrative client, which the caller closes. */
  public Admin admin() {
    return admin(Map.of());
  }

  public void createTopic(String name, int partitions) throws Exception {
    try (Admin admin = admin()) {
      admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
      awaitTopic(admin, name);
    }
  }

  /** The broker can answer that a topic is unknown for a while after its creation. */
  private static void awaitTopic(Admin admin, String name) throws Exception {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (true) {
      try {
        admin.describeTopics(List.of(name)).allTopicNames().get();
        return;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
            || System.nanoTime() - deadline > 0) {
          throw e;
        }
        Thread.sleep(20);
      }
    }
  }

  void addPartitions(String topic, int total) throws Exception {
    try (Admin admin = admin()) {
      admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(total))).all().get();
    }
  }

  /** Writes values to one partition. */
  public void send(String topic, int partition, Collection<String> values) throws Exception {
    send(values.stream().map(value -> new ProducerRecord<>(topic, partition, "", value)).toList());
  }

  public void send(List<ProducerRecord<String, String>> records) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers()),
            new StringSerializer(),
            new StringSerializer())) {
      for (ProducerRecord<String, String> record : records) {
        producer.send(record);
      }
      producer.flush();
    }
  }

  /** What consumers see of a topic, from the oldest record to the end, in order of partitions. */
  public List<ConsumerRecord<String, String>> read(String topic, IsolationLevel isolation) {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", servers(), "isolation.level", isolation.toString()),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      List<ConsumerRecord<String, String>> records = new ArrayList<>();
      while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
      return records;
    }
  }

  /** The values of all committed records. */
  public List<String> committed(String topic) {
    return read(topic, IsolationLevel.READ_COMMITTED).stream().map(ConsumerRecord::value).toList();
  }

  /** The log of the broker, for messages of tests. */
  public String log() {
    try {
      return Files.readString(directory.resolve("broker.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
