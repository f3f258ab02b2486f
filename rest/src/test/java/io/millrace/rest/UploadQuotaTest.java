package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.RestOptions;
import io.millrace.core.id.BlobKey;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UploadQuotaTest {
  private static final int QUOTA = 3000;
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir Path directory;
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = new FakeCluster(settings());
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  @Behaviour("I4: uploads of all clients together are bounded by a quota")
  void blobsBeyondTheQuotaAreRefusedUntilOthersAreFreed() throws Exception {
    Bytes first = content(1, 2000);
    assertThat(put(first, known(first)).statusCode()).isEqualTo(201);
    Bytes second = content(2, 2000);
    HttpResponse<String> refused = put(second, known(second));
    assertThat(refused.statusCode()).isEqualTo(507);
    assertThat(refused.body())
        .contains("3000 bytes", "rest.server.upload-quota", "2000 now", "DELETE /jars/:jarid");
    // A blob that is stored takes no more room.
    assertThat(put(first, known(first)).statusCode()).isEqualTo(200);
    cluster.blobs.clear();
    assertThat(put(second, known(second)).statusCode()).isEqualTo(201);
  }

  @Test
  @Behaviour("I4: uploads of all clients together are bounded by a quota")
  void bodyWithoutAnnouncedLengthIsCountedAsItArrives() throws Exception {
    Bytes large = content(3, 2 * QUOTA);
    assertThat(put(large, chunked(large)).statusCode()).isEqualTo(507);
    assertThat(cluster.blobs).isEmpty();
    // Refused and damaged uploads take no room.
    Bytes small = content(4, 2500);
    HttpRequest wrongHash =
        HttpRequest.newBuilder(uri("/blobs/" + BlobKey.of(large)))
            .PUT(known(small))
            .timeout(Duration.ofSeconds(60))
            .build();
    assertThat(HTTP.send(wrongHash, BodyHandlers.ofString()).statusCode()).isEqualTo(400);
    assertThat(put(small, known(small)).statusCode()).isEqualTo(201);
    assertThat(incoming()).isEmpty();
  }

  @Test
  @Behaviour("I4: uploads of all clients together are bounded by a quota")
  void jarsAndBlobsShareTheQuotaAlsoAfterARestart() throws Exception {
    assertThat(upload(jar(2000)).statusCode()).isEqualTo(200);
    assertThat(upload(jar(2000)).statusCode()).isEqualTo(507);
    cluster.close();
    cluster = new FakeCluster(settings());
    Bytes blob = content(5, 1500);
    assertThat(put(blob, known(blob)).statusCode()).isEqualTo(507);
    String id;
    try (Stream<Path> files = Files.list(directory)) {
      id = files.findFirst().orElseThrow().getFileName().toString();
    }
    HttpRequest delete =
        HttpRequest.newBuilder(uri("/jars/" + id)).DELETE().timeout(Duration.ofSeconds(60)).build();
    assertThat(HTTP.send(delete, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    assertThat(put(blob, known(blob)).statusCode()).isEqualTo(201);
  }

  @Test
  void whatAnEarlierProcessHasNotReceivedCounts() throws Exception {
    Files.write(directory.resolve("incoming-of-another-process"), new byte[2000]);
    Bytes blob = content(6, 1500);
    assertThat(put(blob, known(blob)).statusCode()).isEqualTo(507);
  }

  private RestSettings settings() {
    return new RestSettings(
        "127.0.0.1",
        "127.0.0.1",
        BindPorts.of(RestOptions.PORT, PortRange.of(0)),
        directory,
        4 << 20,
        QUOTA,
        Duration.ofSeconds(5),
        FakeCluster.OWN_USER,
        ConnectionLimits.DEFAULT,
        Optional.empty(),
        Optional.empty(),
        FakeCluster.settings(directory).web());
  }

  private List<Path> incoming() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  private static Bytes content(int fill, int length) {
    byte[] content = new byte[length];
    Arrays.fill(content, (byte) fill);
    return Bytes.wrap(content);
  }

  private static BodyPublisher known(Bytes content) {
    return BodyPublishers.ofByteArray(content.toArray());
  }

  private static BodyPublisher chunked(Bytes content) {
    return BodyPublishers.fromPublisher(known(content));
  }

  private HttpResponse<String> put(Bytes content, BodyPublisher body) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(uri("/blobs/" + BlobKey.of(content)))
            .PUT(body)
            .timeout(Duration.ofSeconds(60))
            .build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> upload(byte[] jar) throws Exception {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(
        "--part\r\nContent-Disposition: form-data; name=\"jarfile\"; filename=\"a.jar\"\r\nContent-Type: application/x-java-archive\r\n\r\n"
            .getBytes(StandardCharsets.UTF_8));
    body.writeBytes(jar);
    body.writeBytes("\r\n--part--\r\n".getBytes(StandardCharsets.UTF_8));
    return HTTP.send(
        HttpRequest.newBuilder(uri("/jars/upload"))
            .header("Content-Type", "multipart/form-data; boundary=part")
            .POST(BodyPublishers.ofByteArray(body.toByteArray()))
            .timeout(Duration.ofSeconds(60))
            .build(),
        BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://" + cluster.address + path);
  }

  /** A jar with an entry of this size that is not compressed. */
  private static byte[] jar(int size) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes)) {
      jar.setLevel(Deflater.NO_COMPRESSION);
      jar.putNextEntry(new JarEntry("content"));
      jar.write(new byte[size]);
      jar.closeEntry();
    }
    return bytes.toByteArray();
  }
}
