package io.millrace.fs.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people are told of services that Kerberos keeps them from. */
class KerberosServiceErrorsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Server not found in Kerberos database (7)| HADOOP_CONF_DIR",
        "Failed to specify server's Kerberos principal name| HADOOP_CONF_DIR",
        "GSSException: No valid credentials (Failed to find any Kerberos tgt)| kinit",
        "Ticket expired (32)| kinit",
        "Client cannot authenticate via:[TOKEN, KERBEROS]| kinit",
        "GSS initiate failed| security.kerberos.login.keytab",
        "GSSException: Clock skew too great (37)| The clocks of this machine",
        "GSSException: Cannot locate KDC| security.kerberos.krb5-conf.path",
      })
  void failureOfAServiceIsToldWithAdvice(String message, String advice) {
    assertThat(
            KerberosServiceErrors.describeServiceFailure(
                new IOException("outer words", new IOException(message))))
        .hasValueSatisfying(
            sentence -> assertThat(sentence).contains(advice).endsWith(".").matches("[A-Z].*"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Connection refused", "Clock skew too great", "No space left on device"})
  void failureWithoutKerberosIsNotBlamedOnIt(String message) {
    assertThat(KerberosServiceErrors.describeServiceFailure(new IOException(message))).isEmpty();
  }
}
