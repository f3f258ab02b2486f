package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputByteBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.security.AMRMTokenIdentifier;
import org.apache.hadoop.yarn.security.client.RMDelegationTokenIdentifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplicationMasterContextTest {
  private static final Text FILES = new Text("HDFS_DELEGATION_TOKEN");

  private final UserGroupInformation user = UserGroupInformation.createRemoteUser("user");

  @Test
  @Behaviour(
      "I4: each process on YARN has its own key; a TaskManager container has neither the authority"
          + " nor the JobManager's key")
  @Behaviour("B5: TaskManagers get none of YARN's own tokens")
  void workersGetAllTokensExceptThoseOfYarn() throws Exception {
    user.addToken(token(AMRMTokenIdentifier.KIND_NAME, "master"));
    user.addToken(token(RMDelegationTokenIdentifier.KIND_NAME, "client"));
    user.addToken(token(FILES, "files"));
    Credentials own = user.getCredentials();
    own.addSecretKey(new Text("millrace.file.secrets/authority.jks"), new byte[] {3});
    user.addCredentials(own);
    Credentials given = read(yarn().tokensForWorkers());
    assertThat(given.getAllTokens()).extracting(Token::getKind).containsExactly(FILES);
    // Neither the certificate authority nor the JobManager's key.
    assertThat(given.numberOfSecretKeys()).isZero();
  }

  @Test
  void tokenThatTheMasterObtainedReplacesTheOneOfTheContainer() throws Exception {
    Credentials left = new Credentials();
    left.addToken(new Text("files"), token(FILES, "files", 1));
    left.addToken(new Text("others"), token(FILES, "others", 1));
    user.addToken(token(FILES, "files", 2));
    ApplicationMasterContext yarn =
        new ApplicationMasterContext(
            new YarnConfiguration(), "application_1_1", user, Optional.empty(), left);
    assertThat(read(yarn.tokensForWorkers()).getAllTokens())
        .extracting(token -> token.getService() + " " + token.getIdentifier()[0])
        .containsExactlyInAnyOrder("files 2", "others 1");
  }

  @Test
  void workersGetNothingWithoutTokens() {
    user.addToken(token(AMRMTokenIdentifier.KIND_NAME, "master"));
    ByteBuffer tokens = yarn().tokensForWorkers();
    assertThat(tokens.hasRemaining()).isFalse();
  }

  @Test
  void userThatHasLoggedInGetsOnlyTheTokenOfTheMaster(@TempDir Path directory) throws Exception {
    Credentials left = new Credentials();
    left.addToken(new Text("master"), token(AMRMTokenIdentifier.KIND_NAME, "master"));
    left.addToken(new Text("files"), token(FILES, "files"));
    Path file = directory.resolve("tokens");
    left.writeTokenStorageFile(
        new org.apache.hadoop.fs.Path(file.toUri()), new Configuration(false));
    ApplicationMasterContext.addMasterToken(user, ApplicationMasterContext.read(file.toFile()));
    assertThat(user.getTokens())
        .extracting(Token::getKind)
        .containsExactly(AMRMTokenIdentifier.KIND_NAME);
  }

  private ApplicationMasterContext yarn() {
    return new ApplicationMasterContext(
        new YarnConfiguration(), "application_1_1", user, Optional.empty(), new Credentials());
  }

  private static Credentials read(ByteBuffer tokens) throws IOException {
    Credentials given = new Credentials();
    DataInputByteBuffer bytes = new DataInputByteBuffer();
    bytes.reset(tokens);
    try (DataInputStream in = bytes) {
      given.readTokenStorageStream(in);
    }
    return given;
  }

  private static Token<TokenIdentifier> token(Text kind, String service) {
    return token(kind, service, 1);
  }

  private static Token<TokenIdentifier> token(Text kind, String service, int number) {
    return new Token<>(new byte[] {(byte) number}, new byte[] {2}, kind, new Text(service));
  }
}
