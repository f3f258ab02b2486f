package io.millrace.yarn.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.DataInputByteBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFilesTest {
  private static final String FILE = "secrets/process.jks";

  @TempDir private Path directory;

  @Test
  @Behaviour(
      "I4: each process on YARN has its own key; a TaskManager container has neither the authority"
          + " nor the JobManager's key")
  void onlyTheOwnerCanReadTheFiles() throws Exception {
    unpack(context(Map.of(FILE, bytes("a key")), ByteBuffer.allocate(0)));
    Path file = directory.resolve(FILE);
    assertThat(file).hasContent("a key");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
        .isEqualTo("rwx------");
  }

  @Test
  void filesOfAnEarlierStartAreReplaced() throws Exception {
    unpack(context(Map.of(FILE, bytes("a key")), ByteBuffer.allocate(0)));
    unpack(context(Map.of(FILE, bytes("another")), ByteBuffer.allocate(0)));
    assertThat(directory.resolve(FILE)).hasContent("another");
  }

  @Test
  void tokensStayUnchanged() throws Exception {
    Credentials tokens = new Credentials();
    tokens.addToken(
        new Text("files"),
        new Token<>(new byte[] {1}, new byte[] {2}, new Text("HDFS"), new Text("files")));
    tokens.addSecretKey(new Text("of another component"), new byte[] {3});
    ByteBuffer both = context(Map.of(FILE, bytes("a key")), buffer(tokens));
    Credentials given = new Credentials();
    try (DataInputByteBuffer in = new DataInputByteBuffer()) {
      in.reset(both.duplicate());
      given.readTokenStorageStream(in);
    }
    assertThat(given.getAllTokens()).extracting(Token::getKind).containsExactly(new Text("HDFS"));
    assertThat(given.getSecretKey(new Text("of another component"))).containsExactly(3);
    unpack(both);
    try (var files = Files.walk(directory.resolve("secrets"))) {
      assertThat(files.filter(Files::isRegularFile)).containsExactly(directory.resolve(FILE));
    }
  }

  @Test
  void nothingIsWrittenWithoutTokens() {
    assertThat(new ContainerLaunch(List.of(), Map.of(), List.of()).context(ByteBuffer.allocate(0)))
        .satisfies(context -> assertThat(context.getTokens()).isNull());
    SecretFiles.unpack(Map.of(), directory);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void unreadableTokenFileIsNamed() throws Exception {
    Path tokens = Files.writeString(directory.resolve("tokens"), "no tokens");
    Map<String, String> environment = Map.of("HADOOP_TOKEN_FILE_LOCATION", tokens.toString());
    assertThatThrownBy(() -> SecretFiles.unpack(environment, directory))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(tokens.toString());
  }

  private static ByteBuffer context(Map<String, byte[]> secrets, ByteBuffer tokens) {
    return new ContainerLaunch(List.of(), Map.of(), List.of())
        .with(secrets)
        .context(tokens)
        .getTokens();
  }

  private void unpack(ByteBuffer tokens) throws Exception {
    byte[] content = new byte[tokens.remaining()];
    tokens.duplicate().get(content);
    Path file = Files.write(directory.resolve("tokens"), content);
    SecretFiles.unpack(Map.of("HADOOP_TOKEN_FILE_LOCATION", file.toString()), directory);
  }

  private static ByteBuffer buffer(Credentials credentials) throws Exception {
    try (DataOutputBuffer out = new DataOutputBuffer()) {
      credentials.writeTokenStorageToStream(out);
      return ByteBuffer.wrap(out.getData(), 0, out.getLength());
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
