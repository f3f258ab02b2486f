package io.millrace.fs.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.KerberosLogin;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.security.auth.login.LoginException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people are told of failures of Kerberos, whose libraries have no types for them. */
class KerberosErrorsTest {
  private static final KerberosLogin LOGIN =
      new KerberosLogin(Path.of("/etc/me.keytab"), "me@REALM");
  private static final String BEFORE =
      "The Kerberos login of me@REALM with keytab /etc/me.keytab failed: ";
  private static final String SERVERS =
      "the file krb5.conf of this machine, or the one that security.kerberos.krb5-conf.path names";

  @Test
  void keytabWithoutThePrincipalIsTheUsers() {
    told(
        "Unable to obtain password from user",
        ErrorKind.USER,
        "the keytab has no key of that principal; `klist -kt /etc/me.keytab` lists those it has.");
  }

  @Test
  void unknownPrincipalIsTheUsers() {
    told(
        "Client not found in Kerberos database (6) - CLIENT_NOT_FOUND",
        ErrorKind.USER,
        "Kerberos does not know that principal; it is misspelt, or of another realm.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Pre-authentication information was invalid (24)",
        "Checksum failed",
        "Integrity check on decrypted field failed (31)"
      })
  void oldKeyIsTheUsers(String message) {
    told(
        message,
        ErrorKind.USER,
        "the key in the keytab is not the one that Kerberos has, such as after a change of the"
            + " password; have the keytab exported anew.");
  }

  @Test
  void clocksThatDifferAreExternal() {
    told(
        "Clock skew too great (37)",
        ErrorKind.EXTERNAL,
        "the clocks of this machine and of the Kerberos server differ by minutes; set them by the"
            + " same source.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Can't get Kerberos realm",
        "Cannot locate default realm",
        "Cannot locate KDC",
        "Cannot find KDC for realm REALM",
        "Unable to locate KDC for realm REALM"
      })
  void unknownServerIsExternal(String message) {
    told(
        message,
        ErrorKind.EXTERNAL,
        "where the Kerberos server of the realm is, is not known; it stands in " + SERVERS + ".");
  }

  static Stream<Exception> failuresOfTheNetwork() {
    return Stream.of(
        new ConnectException("Connection refused"),
        new NoRouteToHostException("No route to host"),
        new SocketTimeoutException("Receive timed out"),
        new UnknownHostException("kdc.example.org"));
  }

  @ParameterizedTest
  @MethodSource("failuresOfTheNetwork")
  void unreachableServerIsExternalAndToldWithItsReason(Exception network) {
    Exception failure = new IOException("Login failure", wrapped(network));

    MillraceException told = KerberosErrors.loginFailure(LOGIN, failure);

    assertThat(told.kind()).isEqualTo(ErrorKind.EXTERNAL);
    assertThat(told)
        .hasMessage(
            BEFORE
                + "the Kerberos server cannot be reached ("
                + network.getClass().getSimpleName()
                + ": "
                + network.getMessage()
                + "); check that it runs where it should by "
                + SERVERS
                + ".")
        .hasCause(failure);
  }

  @Test
  void otherFailuresAreToldByTheirFirstLine() {
    MillraceException told =
        KerberosErrors.loginFailure(LOGIN, new IOException("something else\nwith a second line"));

    assertThat(told.kind()).isEqualTo(ErrorKind.USER);
    assertThat(told).hasMessage(BEFORE + "IOException: something else.");
  }

  private static void told(String message, ErrorKind kind, String sentence) {
    Exception failure = new IOException("Login failure for me@REALM", wrapped(login(message)));

    MillraceException told = KerberosErrors.loginFailure(LOGIN, failure);

    assertThat(told.kind()).isEqualTo(kind);
    assertThat(told).hasMessage(BEFORE + sentence).hasCause(failure);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Server not found in Kerberos database (7)|"
            + " Kerberos does not know the service's principal. Check that HADOOP_CONF_DIR has the"
            + " configuration of this cluster, where it is written.",
        "Failed to specify server's Kerberos principal name|"
            + " Hadoop's configuration does not say which principal the service has. Check that"
            + " HADOOP_CONF_DIR has the configuration of this cluster.",
        "GSSException: No valid credentials (Failed to find any Kerberos tgt)|"
            + " There is no valid Kerberos ticket, or it has expired. Run kinit, or set"
            + " security.kerberos.login.keytab and security.kerberos.login.principal.",
        "Ticket expired (32)|"
            + " There is no valid Kerberos ticket, or it has expired. Run kinit, or set"
            + " security.kerberos.login.keytab and security.kerberos.login.principal.",
        "Client cannot authenticate via:[TOKEN, KERBEROS]|"
            + " There is no valid Kerberos ticket, or it has expired. Run kinit, or set"
            + " security.kerberos.login.keytab and security.kerberos.login.principal.",
        "GSS initiate failed|"
            + " There is no valid Kerberos ticket, or it has expired. Run kinit, or set"
            + " security.kerberos.login.keytab and security.kerberos.login.principal.",
        "GSSException: Clock skew too great (37)|"
            + " The clocks of this machine and of the Kerberos server differ by minutes; set them"
            + " by the same source.",
      })
  void failureOfAServiceIsToldWithAdvice(String message, String advice) {
    assertThat(KerberosErrors.describeServiceFailure(wrapped(new IOException(message))))
        .contains(advice);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Connection refused", "Clock skew too great", "No space left on device"})
  void failureWithoutKerberosIsNotBlamedOnIt(String message) {
    assertThat(KerberosErrors.describeServiceFailure(new IOException(message))).isEmpty();
  }

  private static Exception login(String message) {
    return new LoginException(message);
  }

  private static Exception wrapped(Exception cause) {
    return new IOException("outer words", cause);
  }
}
